//! The requests that wait, and the threads that work on them.
//!
//! A thread that becomes free reads some of the waiting requests, as many as may fill a pass through a
//! network. Then it takes the oldest that is read and with it what else waits for the same model and K,
//! as far as that fits into one pass, and writes the answers. Nobody waits for others to come: an idle
//! server answers at once, a busy one fills its batches. Large requests wait in a line of their own and
//! are explained piece by piece, in turns with small ones, which so need not wait for all of it.
//!
//! The threads of the connections carry bytes and do none of this.

use super::body::Body;
use super::error::ApiError;
use super::metrics::Metrics;
use super::state::Model;
use axum::response::Response;
use ngsll::Explanation;
use ngsll::data::Samples;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Samples of several requests that go through the network together. A pass of this size stays on its thread.
const TOGETHER: usize = 16;
/// Samples of a large request, one with more, that are explained before others have their turn: several passes,
/// side by side.
const PIECE: usize = 4 * TOGETHER;
/// Large requests that may wait once they are read, and their bytes then; with more the answer is to come back later.
const LARGE: usize = 32;
const LARGE_BYTES: usize = 256 << 20;
/// Bytes of bodies that may wait; with more the answer is to come back later.
pub const WAITING: usize = 32 << 20;

/// What a request asks, and how its answer is written.
pub struct Order {
    /// Whom it asks.
    pub model: Arc<Model>,
    /// Terms of each score; the model can.
    pub k: usize,
    /// Samples of this model.
    pub samples: Samples,
    /// Makes the answer of the samples' explanations.
    pub write: Box<dyn FnOnce(Vec<Explanation>) -> Response + Send>,
}

type Answer = Result<Response, ApiError>;

/// A request that nobody has read yet.
struct Unread {
    /// Requests are numbered as they come.
    number: u64,
    bytes: usize,
    read: Box<dyn FnOnce() -> Result<Order, ApiError> + Send>,
    reply: oneshot::Sender<Answer>,
}

/// A request that was read.
struct Job {
    number: u64,
    order: Order,
    /// Explanations of the first samples.
    found: Vec<Explanation>,
    reply: oneshot::Sender<Answer>,
}

impl Job {
    /// Samples without an explanation.
    fn left(&self) -> usize {
        self.order.samples.len() - self.found.len()
    }

    /// Whether it is explained piece by piece.
    fn is_large(&self) -> bool {
        self.order.samples.len() > PIECE
    }

    /// Whether both may go through the network together.
    fn goes_with(&self, other: &Self) -> bool {
        let (a, b) = (&self.order, &other.order);
        Arc::ptr_eq(&a.model, &b.model) && a.k == b.k
    }

    /// About how much memory its samples take.
    fn bytes(&self) -> usize {
        match &self.order.samples {
            Samples::Images(images) => images.pixels.len(),
            Samples::Texts(texts) => texts.iter().map(str::len).sum(),
            Samples::Table(table) => table.len() * table.columns.len() * size_of::<f64>(),
        }
    }
}

#[derive(Default)]
struct Waiting {
    /// Requests that came so far.
    came: u64,
    unread: VecDeque<Unread>,
    /// Of the unread ones.
    bytes: usize,
    jobs: VecDeque<Job>,
    /// Jobs that are explained piece by piece, in the order in which they came.
    large: VecDeque<Job>,
    /// Whether a large job's piece is next, where others wait as well.
    large_next: bool,
    /// Requests that were read, and their samples, since some were explained: who sends what is refused,
    /// however much, must not keep others waiting.
    reads: usize,
    read_samples: usize,
    closed: bool,
}

/// What a thread does next.
enum Task {
    Read(Unread),
    Explain(Vec<Job>),
}

/// A bounded queue and its threads.
pub struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    metrics: Arc<Metrics>,
}

impl Queue {
    /// A queue and `threads` threads that work on it until it is closed.
    pub fn start(threads: usize, metrics: Arc<Metrics>) -> std::io::Result<Arc<Self>> {
        let queue = Arc::new(Self { waiting: Mutex::default(), arrived: Condvar::new(), metrics });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new().name("explain".into());
            thread.spawn(move || while queue.turn() {})?;
        }
        Ok(queue)
    }

    /// Queues a body that `read` will read, and waits for the answer; refuses at once where too much waits already.
    pub async fn answer(
        &self,
        body: Body,
        read: impl FnOnce(Body) -> Result<Order, ApiError> + Send + 'static,
    ) -> Answer {
        let (reply, answer) = oneshot::channel();
        let bytes = body.len();
        self.push(bytes, Box::new(move || read(body)), reply)?;
        // The threads answer every request, so that an end without answer is a mistake.
        answer.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }

    /// Lets the threads end once nothing is waiting.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(
        &self,
        bytes: usize,
        read: Box<dyn FnOnce() -> Result<Order, ApiError> + Send>,
        reply: oneshot::Sender<Answer>,
    ) -> Result<(), ApiError> {
        let mut waiting = self.lock();
        if waiting.bytes + bytes > WAITING {
            let most = WAITING >> 20;
            let message = format!(
                "requests of {most} MiB are waiting and there may not be more; try again in a second"
            );
            return Err(ApiError::busy(message));
        }
        waiting.bytes += bytes;
        waiting.came += 1;
        let number = waiting.came;
        waiting.unread.push_back(Unread { number, bytes, read, reply });
        self.count(&waiting);
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    /// Does what is to be done next; `false` when the queue is closed and empty.
    fn turn(&self) -> bool {
        match self.next() {
            Some(Task::Read(request)) => self.read(request),
            Some(Task::Explain(jobs)) => {
                // This thread looks at the queue again, so that no other need be told of the rest.
                if let Some(rest) = explain_all(jobs, &self.metrics) {
                    let mut waiting = self.lock();
                    waiting.insert(rest);
                    self.count(&waiting);
                }
            }
            None => return false,
        }
        true
    }

    /// Reads a request and puts it where it waits for its turn.
    fn read(&self, request: Unread) {
        let Some(job) = read(request) else { return };
        let mut waiting = self.lock();
        waiting.read_samples += job.left();
        if let Some(job) = waiting.take(job) {
            drop(waiting);
            let message = "too many large requests are waiting; try again in a second";
            let _ = job.reply.send(Err(ApiError::busy(message)));
            return;
        }
        self.count(&waiting);
    }

    fn next(&self) -> Option<Task> {
        let mut waiting = self.lock();
        loop {
            while waiting.may_read()
                && let Some(request) = waiting.unread.pop_front()
            {
                waiting.bytes -= request.bytes;
                // What nobody waits for any more is not read.
                if !request.reply.is_closed() {
                    waiting.reads += 1;
                    self.count(&waiting);
                    return Some(Task::Read(request));
                }
            }
            if let Some(jobs) = waiting.batch() {
                (waiting.reads, waiting.read_samples) = (0, 0);
                self.count(&waiting);
                return Some(Task::Explain(jobs));
            }
            if waiting.closed {
                return None;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self, waiting: &Waiting) {
        let all = waiting.unread.len() + waiting.jobs.len() + waiting.large.len();
        self.metrics.waiting(all);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Whether a request is to be read before more are explained; not many while small jobs wait.
    fn may_read(&self) -> bool {
        let filled = self.jobs.len() >= TOGETHER || self.read_samples >= TOGETHER;
        let idle = self.jobs.is_empty() && self.large.is_empty();
        idle || self.reads < TOGETHER && (self.jobs.is_empty() || !filled)
    }

    /// Lets a new job wait for its turn; gives back a large one that has no room.
    fn take(&mut self, job: Job) -> Option<Job> {
        if !job.is_large() {
            self.jobs.push_back(job);
            return None;
        }
        self.large.retain(|job| !job.reply.is_closed());
        let bytes: usize = self.large.iter().chain([&job]).map(Job::bytes).sum();
        if !self.large.is_empty() && (self.large.len() >= LARGE || bytes > LARGE_BYTES) {
            return Some(job);
        }
        self.insert(job);
        None
    }

    /// Puts a large job, or its rest, behind those that came before it.
    fn insert(&mut self, job: Job) {
        let at = self.large.partition_point(|other| other.number < job.number);
        self.large.insert(at, job);
    }

    /// What is explained next: small and large jobs take turns.
    fn batch(&mut self) -> Option<Vec<Job>> {
        if self.jobs.is_empty() || self.large_next && !self.large.is_empty() {
            self.large_next = false;
            return Some(vec![self.large.pop_front()?]);
        }
        self.large_next = true;
        Some(self.together())
    }

    /// The oldest small job and those that go with it.
    fn together(&mut self) -> Vec<Job> {
        let mut together: Vec<Job> = self.jobs.pop_front().into_iter().collect();
        let mut samples: usize = together.iter().map(Job::left).sum();
        let mut at = 0;
        while at < self.jobs.len() && samples < TOGETHER {
            let job = &self.jobs[at];
            if job.goes_with(&together[0]) && samples + job.left() <= TOGETHER {
                samples += job.left();
                together.extend(self.jobs.remove(at));
            } else {
                at += 1;
            }
        }
        together
    }
}

/// Reads a request, unless it is refused.
fn read(Unread { number, read, reply, .. }: Unread) -> Option<Job> {
    match caught(read).and_then(|order| order) {
        Ok(order) => Some(Job { number, order, found: Vec::new(), reply }),
        Err(error) => {
            // It may have gone away by now.
            let _ = reply.send(Err(error));
            None
        }
    }
}

/// Explains jobs of one model and K together. Where that fails, each is asked alone, so that a bad sample fails its
/// own request only. Gives back a job that is not done yet.
fn explain_all(mut jobs: Vec<Job>, metrics: &Metrics) -> Option<Job> {
    jobs.retain(|job| !job.reply.is_closed());
    if jobs.len() > 1
        && let Ok(Some(all)) = caught(|| Samples::join(jobs.iter().map(|job| &job.order.samples)))
        && let Ok(explanations) = explain(&jobs[0].order, &all)
    {
        metrics.batch(all.len());
        let mut explanations = explanations.into_iter();
        for job in jobs {
            let own = explanations.by_ref().take(job.left()).collect();
            write(job, own);
        }
        return None;
    }
    let mut rest = None;
    for job in jobs {
        // Large jobs go alone, so that there is one rest at most.
        rest = explain_piece(job, metrics).or(rest);
    }
    rest
}

/// Explains a piece of a job; answers it, or gives it back.
fn explain_piece(mut job: Job, metrics: &Metrics) -> Option<Job> {
    let samples = &job.order.samples;
    let rows: Vec<usize> = (job.found.len()..samples.len()).take(PIECE).collect();
    metrics.batch(rows.len());
    let found = match rows.len() == samples.len() {
        true => explain(&job.order, samples),
        false => caught(|| samples.select(&rows)).and_then(|piece| explain(&job.order, &piece)),
    };
    match found {
        Ok(found) => job.found.extend(found),
        Err(error) => {
            let _ = job.reply.send(Err(error));
            return None;
        }
    }
    if job.left() > 0 {
        return Some(job);
    }
    let found = std::mem::take(&mut job.found);
    write(job, found);
    None
}

fn explain(order: &Order, samples: &Samples) -> Result<Vec<Explanation>, ApiError> {
    Ok(caught(|| order.model.predictor().explain(samples, Some(order.k)))??)
}

fn write(job: Job, explanations: Vec<Explanation>) {
    let answer = caught(|| (job.order.write)(explanations));
    let _ = job.reply.send(answer);
}

/// A panic ends the request, not the thread.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| ApiError::internal())
}

#[cfg(test)]
mod tests {
    use super::super::state::{Limits, State};
    use super::super::tests::{images, models, state};
    use super::*;
    use axum::http::HeaderValue;
    use axum::response::IntoResponse;
    use ngsll::data::{Cell, ColumnBuilder, ColumnKind, ColumnSpec, Table};
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, channel};

    /// Text i, longer or shorter.
    fn text(i: usize) -> Samples {
        Samples::Texts([format!("a good {} film {i}", "very ".repeat(i % 5))].iter().collect())
    }

    fn texts(n: usize) -> Samples {
        Samples::join(&(0..n).map(text).collect::<Vec<_>>()).unwrap()
    }

    fn row(i: usize) -> Samples {
        let column = |name: &str, kind, cell: Cell| {
            let mut builder = ColumnBuilder::new(&ColumnSpec { name: name.into(), kind });
            builder.push(&cell).unwrap();
            builder.finish()
        };
        let colour = ["red", "blue", "pink", "NA"][i % 4];
        let columns = vec![
            column("size", ColumnKind::Numeric, Cell::Number(i as f64)),
            column("colour", ColumnKind::Categorical, Cell::Text(colour.into())),
        ];
        Samples::Table(Table { columns })
    }

    /// A table with columns of different lengths, which cannot come from a request.
    fn torn() -> Samples {
        let (Samples::Table(one), Some(Samples::Table(mut two))) =
            (row(0), Samples::join([&row(0), &row(1)]))
        else {
            unreachable!("rows are tables")
        };
        two.columns[0] = one.columns[0].clone();
        Samples::Table(two)
    }

    fn image(i: usize) -> Samples {
        images(i + 1).select(&[i])
    }

    /// A queue on which nobody works but the test.
    fn idle() -> State {
        state(Limits { threads: 0, ..Limits::default() })
    }

    /// Who asked, and where the explanations arrive.
    struct Asked {
        id: String,
        reply: oneshot::Receiver<Answer>,
        found: Receiver<Vec<Explanation>>,
    }

    impl Asked {
        /// What came, if it came; it must be the answer to this question.
        fn got(&mut self) -> Option<Vec<Explanation>> {
            let response = self.reply.try_recv().ok()?.unwrap();
            assert_eq!(response.headers()["id"], self.id.as_str());
            Some(self.found.recv().unwrap())
        }

        /// Waits for it.
        fn wait(self) -> Vec<Explanation> {
            let response = self.reply.blocking_recv().unwrap().unwrap();
            assert_eq!(response.headers()["id"], self.id.as_str());
            self.found.recv().unwrap()
        }
    }

    fn ask(state: &State, name: &str, k: usize, samples: Samples) -> Asked {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let id = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
        let (reply, answer) = oneshot::channel();
        let (to, found) = channel();
        let model = Arc::clone(state.model(name).unwrap());
        let header = HeaderValue::from_str(&id).unwrap();
        let write = move |explanations| {
            to.send(explanations).unwrap();
            let mut response = Response::default();
            response.headers_mut().insert("id", header);
            response
        };
        let order = Order { model, k, samples, write: Box::new(write) };
        state.queue().push(1, Box::new(|| Ok(order)), reply).unwrap();
        Asked { id, reply: answer, found }
    }

    /// A request that is refused when it is read.
    fn ask_badly(state: &State) -> oneshot::Receiver<Answer> {
        let (reply, answer) = oneshot::channel();
        state.queue().push(1, Box::new(|| Err(ApiError::bad("no"))), reply).unwrap();
        answer
    }

    /// Reads until something is to be explained; gives its jobs and their sizes.
    fn next(queue: &Queue) -> Option<(Vec<usize>, Vec<Job>)> {
        loop {
            match queue.next()? {
                Task::Read(request) => queue.read(request),
                Task::Explain(jobs) => return Some((jobs.iter().map(Job::left).collect(), jobs)),
            }
        }
    }

    #[test]
    fn requests_in_flight_go_together_and_get_the_bits_they_get_alone() {
        for (name, sample) in [
            ("reviews", text as fn(usize) -> Samples),
            ("kinds", text),
            ("houses", row),
            ("digits", image),
        ] {
            let state = idle();
            let mut asked: Vec<Asked> = (0..20).map(|i| ask(&state, name, 2, sample(i))).collect();
            state.queue().close();
            let mut sizes = Vec::new();
            while let Some((batch, jobs)) = next(state.queue()) {
                sizes.push(batch.len());
                assert!(explain_all(jobs, state.metrics()).is_none());
            }
            assert_eq!(sizes, [16, 4], "{name}");
            for (i, asked) in asked.iter_mut().enumerate() {
                let alone = models()[name].explain(&sample(i), None).unwrap();
                assert_eq!(asked.got(), Some(alone), "{name}, sample {i}");
            }
        }
    }

    #[test]
    fn only_requests_to_the_same_model_with_the_same_k_go_together() {
        let state = idle();
        let asked = [
            ("reviews", 1, 3),
            ("kinds", 1, 1),
            ("reviews", 2, 1),
            ("reviews", 1, 10),
            ("reviews", 1, 4),
            ("reviews", 1, 100),
        ];
        let _kept = asked.map(|(name, k, n)| ask(&state, name, k, texts(n)));
        state.queue().close();
        let sizes = std::iter::from_fn(|| Some(next(state.queue())?.0));
        // The first takes what fits beside it; order is kept otherwise, and the large one has its turn.
        let expected = [vec![3, 10], vec![100], vec![1], vec![1], vec![4]];
        assert_eq!(sizes.collect::<Vec<_>>(), expected);
    }

    /// Requests of 150 samples are explained 64 at a time, and one that comes meanwhile is answered in between.
    #[test]
    fn large_requests_do_not_keep_a_small_one_waiting() {
        let state = idle();
        let queue = state.queue();
        let mut large: Vec<Asked> = (0..30).map(|_| ask(&state, "kinds", 2, texts(150))).collect();
        let turns = |until: &mut dyn FnMut() -> bool| {
            (1..).find(|_| {
                assert!(queue.turn());
                until()
            })
        };
        // The first has had a piece.
        turns(&mut || queue.lock().large.iter().any(|job| job.left() == 86)).unwrap();
        let mut small = ask(&state, "kinds", 2, text(0));
        // Those before it are read; then it has its turn.
        assert!(turns(&mut || small.got().is_some()).unwrap() < 50);
        assert!(large.iter_mut().all(|asked| asked.got().is_none()));
        // All are answered whole.
        let whole = models()["kinds"].explain(&texts(150), None).unwrap();
        queue.close();
        while queue.turn() {}
        for asked in &mut large {
            assert_eq!(asked.got().as_ref(), Some(&whole));
        }
        assert_eq!(queue.lock().bytes, 0);
    }

    /// The rest of a large request is never joined with others, however small it is.
    #[test]
    fn a_rest_that_would_fit_goes_alone() {
        let state = idle();
        let queue = state.queue();
        let mut large = ask(&state, "kinds", 2, texts(70));
        assert!(queue.turn() && queue.turn());
        assert_eq!(queue.lock().large[0].left(), 6);
        let mut small = [ask(&state, "kinds", 2, text(3)), ask(&state, "kinds", 2, text(4))];
        queue.close();
        while queue.turn() {}
        let alone = |samples: &Samples| models()["kinds"].explain(samples, None).unwrap();
        assert_eq!(large.got(), Some(alone(&texts(70))));
        assert_eq!(small[0].got(), Some(alone(&text(3))));
        assert_eq!(small[1].got(), Some(alone(&text(4))));
    }

    /// Requests of all sizes at once, on several threads: everybody gets what was asked for.
    #[test]
    fn answers_are_not_mixed_up() {
        let state = state(Limits { threads: 3, ..Limits::default() });
        let all = texts(150);
        let whole = models()["kinds"].explain(&all, None).unwrap();
        let sizes = [1, 70, 3, 1, 65, 16, 1, 130, 2, 79];
        let ranges = (0..100).map(|i| {
            let size = sizes[i % sizes.len()];
            let first = 7 * i % (all.len() - size);
            first..first + size
        });
        // A few at a time, since not many large ones may wait.
        for ranges in ranges.collect::<Vec<_>>().chunks(20) {
            let ask = |range: &Range<usize>| {
                ask(&state, "kinds", 2, all.select(&range.clone().collect::<Vec<_>>()))
            };
            let asked: Vec<Asked> = ranges.iter().map(ask).collect();
            for (range, asked) in ranges.iter().zip(asked) {
                assert_eq!(asked.wait(), whole[range.clone()]);
            }
        }
    }

    /// On several threads pieces come back in any order.
    #[test]
    fn large_requests_are_explained_in_the_order_in_which_they_came() {
        let state = idle();
        let queue = state.queue();
        let mut asked = [(); 3].map(|()| ask(&state, "kinds", 2, texts(130)));
        let pop = || next(queue).unwrap().1;
        let (first, second) = (pop(), pop());
        for jobs in [first, second] {
            let rest = explain_all(jobs, state.metrics()).unwrap();
            queue.lock().insert(rest);
        }
        let mut answered = Vec::new();
        queue.close();
        while queue.turn() {
            answered.extend((0..3).filter(|&i| asked[i].got().is_some()));
        }
        assert_eq!(answered, [0, 1, 2]);
    }

    #[test]
    fn large_requests_beyond_their_room_are_asked_to_come_back_later() {
        let state = idle();
        let waiting = (0..=LARGE).map(|_| ask(&state, "kinds", 2, texts(65))).collect::<Vec<_>>();
        for _ in 0..=LARGE {
            let request = state.queue().lock().unread.pop_front().unwrap();
            state.queue().read(request);
        }
        assert_eq!(state.queue().lock().large.len(), LARGE);
        let mut last = waiting.into_iter().next_back().unwrap();
        let error = last.reply.try_recv().unwrap().unwrap_err();
        assert_eq!(error.into_response().status(), 503);
    }

    #[test]
    fn what_is_refused_keeps_nobody_waiting() {
        let state = idle();
        let queue = state.queue();
        let mut good = ask(&state, "kinds", 2, text(0));
        let mut turns = 0;
        let mut got = None;
        while got.is_none() && turns < 100 {
            // There is always one more to read.
            drop(ask_badly(&state));
            let _kept = ask_badly(&state);
            assert!(queue.turn());
            got = good.got();
            turns += 1;
        }
        assert!(got.is_some() && turns <= TOGETHER + 2, "{turns}");
    }

    /// Samples that cannot go together are explained one by one.
    #[test]
    fn a_bad_sample_fails_its_own_request_only() {
        let state = idle();
        let mut good = ask(&state, "houses", 1, row(2));
        let mut bad = ask(&state, "houses", 1, text(0));
        let mut also = ask(&state, "houses", 1, row(3));
        let (sizes, jobs) = next(state.queue()).unwrap();
        assert_eq!(sizes, [1, 1, 1]);
        assert!(explain_all(jobs, state.metrics()).is_none());
        assert!(bad.reply.try_recv().unwrap().is_err());
        assert_eq!((good.got().unwrap().len(), also.got().unwrap().len()), (1, 1));
    }

    #[test]
    fn what_nobody_waits_for_is_not_computed() {
        let state = idle();
        let queue = state.queue();
        drop(ask(&state, "reviews", 1, text(0)));
        let gone = ask(&state, "reviews", 1, text(0));
        assert!(queue.turn());
        assert_eq!(queue.lock().jobs.len(), 1);
        drop(gone);
        assert!(queue.turn());
        assert!(state.metrics().text().contains("ngsll_batch_samples_count 0"));
    }

    #[test]
    fn a_panic_ends_its_request_only() {
        let state = idle();
        let queue = state.queue();
        let (reply, mut answer) = oneshot::channel();
        queue.push(1, Box::new(|| panic!("in reading")), reply).unwrap();
        assert!(queue.turn());
        assert_eq!(answer.try_recv().unwrap().unwrap_err(), ApiError::internal());
        let mut bad = ask(&state, "houses", 1, torn());
        assert!(queue.turn() && queue.turn());
        assert_eq!(bad.reply.try_recv().unwrap().unwrap_err(), ApiError::internal());
        let mut good = ask(&state, "houses", 1, row(2));
        assert!(queue.turn() && queue.turn());
        assert_eq!(good.got().unwrap().len(), 1);
    }
}
