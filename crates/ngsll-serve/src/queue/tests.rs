//! The queue, processed by the test itself or by its own threads.

use super::*;
use crate::limits::Limits;
use crate::state::State;
use crate::tests::{images, models, state};
use axum::http::HeaderValue;
use axum::response::IntoResponse;
use ngsll::dataset::{Column, Table};
use ngsll::{Explanation, Samples};
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
    let colour = [Some("red"), Some("blue"), Some("pink"), None][i % 4];
    let size = Column::numeric("size", [i as f64]).unwrap();
    Samples::Table(Table::new([size, Column::categorical("colour", [colour])]).unwrap())
}

fn image(i: usize) -> Samples {
    Samples::from(images(i + 1)).select(&[i])
}

/// A queue that only the test works on.
fn idle() -> State {
    state(Limits { threads: 0, ..Limits::default() })
}

/// A request that was sent, and the channel for its explanations.
struct Pending {
    id: String,
    reply: oneshot::Receiver<Answer>,
    found: Receiver<Vec<Explanation>>,
}

impl Pending {
    /// The explanations, if they came; they must be the answer to this request.
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

fn here() -> Client {
    Client::new([127, 0, 0, 1].into(), &Limits::default())
}

fn ask(state: &State, name: &str, k: usize, samples: Samples) -> Pending {
    ask_from(here(), state, name, k, samples)
}

fn ask_from(client: Client, state: &State, name: &str, k: usize, samples: Samples) -> Pending {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let id = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
    let (reply, answer) = oneshot::channel();
    let (to, found) = channel();
    let model = Arc::clone(state.model(name).unwrap());
    let header = HeaderValue::from_str(&id).unwrap();
    let respond = move |_: &Query, explanations| {
        to.send(explanations).unwrap();
        let mut response = Response::default();
        response.headers_mut().insert("id", header);
        response
    };
    let request = QueuedRequest::explain(Query { model, k, samples }, respond);
    state.queue().push(client, 1, Box::new(|| Ok(request)), reply).unwrap();
    Pending { id, reply: answer, found }
}

/// A request that is refused when it is read.
fn ask_badly(state: &State) -> oneshot::Receiver<Answer> {
    let (reply, answer) = oneshot::channel();
    state.queue().push(here(), 1, Box::new(|| Err(ApiError::bad("no"))), reply).unwrap();
    answer
}

/// Reads until something is to be explained; returns its jobs and their sizes.
fn next(queue: &Queue) -> Option<(Vec<usize>, Vec<Job>)> {
    loop {
        match queue.next()? {
            Step::Read(request) => queue.read(request),
            Step::Compute(jobs) => return Some((jobs.iter().map(Job::left).collect(), jobs)),
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
        let mut asked: Vec<Pending> = (0..20).map(|i| ask(&state, name, 2, sample(i))).collect();
        state.queue().close();
        let mut sizes = Vec::new();
        while let Some((batch, jobs)) = next(state.queue()) {
            sizes.push(batch.len());
            assert!(compute(jobs, state.metrics()).is_none());
        }
        assert_eq!(sizes, [16, 4], "{name}");
        for (i, asked) in asked.iter_mut().enumerate() {
            let alone = models()[name].explain(sample(i)).unwrap();
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
    // The first takes what fits beside it; otherwise order is kept, and the large one has its turn.
    let expected = [vec![3, 10], vec![100], vec![1], vec![1], vec![4]];
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
}

#[test]
fn predictions_and_explanations_do_not_go_together() {
    let state = idle();
    let mut explained = ask(&state, "kinds", 2, text(0));
    let (reply, mut predicted) = oneshot::channel();
    let model = Arc::clone(state.model("kinds").unwrap());
    let query = Query { model, k: 2, samples: texts(3) };
    let request = QueuedRequest::predict(query, |query, scores| {
        let model = query.model.model();
        assert_eq!(scores, model.scores_with(&query.samples, Some(query.k)).unwrap());
        Response::default()
    });
    state.queue().push(here(), 1, Box::new(|| Ok(request)), reply).unwrap();
    state.queue().close();
    let mut sizes = Vec::new();
    while let Some((batch, jobs)) = next(state.queue()) {
        sizes.push(batch);
        assert!(compute(jobs, state.metrics()).is_none());
    }
    assert_eq!(sizes, [[1], [3]]);
    assert!(explained.got().is_some() && predicted.try_recv().unwrap().is_ok());
}

/// Requests of 150 samples are explained 64 at a time, and one that comes meanwhile is answered in between.
#[test]
fn large_requests_do_not_keep_a_small_one_waiting() {
    let state = idle();
    let queue = state.queue();
    let mut large: Vec<Pending> = (0..30).map(|_| ask(&state, "kinds", 2, texts(150))).collect();
    let steps = |until: &mut dyn FnMut() -> bool| {
        (1..).find(|_| {
            assert!(queue.step());
            until()
        })
    };
    // The first has had a piece.
    steps(&mut || queue.lock().large.iter().any(|job| job.left() == 86)).unwrap();
    let mut small = ask(&state, "kinds", 2, text(0));
    // Those before it are read; then it has its turn.
    assert!(steps(&mut || small.got().is_some()).unwrap() < 50);
    assert!(large.iter_mut().all(|asked| asked.got().is_none()));
    // All are answered whole.
    let whole = models()["kinds"].explain(texts(150)).unwrap();
    queue.close();
    while queue.step() {}
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
    assert!(queue.step() && queue.step());
    assert_eq!(queue.lock().large[0].left(), 6);
    let mut small = [ask(&state, "kinds", 2, text(3)), ask(&state, "kinds", 2, text(4))];
    queue.close();
    while queue.step() {}
    let alone = |samples: &Samples| models()["kinds"].explain(samples).unwrap();
    assert_eq!(large.got(), Some(alone(&texts(70))));
    assert_eq!(small[0].got(), Some(alone(&text(3))));
    assert_eq!(small[1].got(), Some(alone(&text(4))));
}

/// Requests of all sizes at once, on several threads: every client gets its own answer.
#[test]
fn answers_are_not_mixed_up() {
    let state = state(Limits { threads: 3, ..Limits::default() });
    let all = texts(150);
    let whole = models()["kinds"].explain(&all).unwrap();
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
        let asked: Vec<Pending> = ranges.iter().map(ask).collect();
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
        let rest = compute(jobs, state.metrics()).unwrap();
        queue.lock().insert(rest);
    }
    let mut answered = Vec::new();
    queue.close();
    while queue.step() {
        answered.extend((0..3).filter(|&i| asked[i].got().is_some()));
    }
    assert_eq!(answered, [0, 1, 2]);
}

#[test]
fn large_requests_beyond_their_bound_are_refused_with_retry_after() {
    let state = idle();
    let waiting =
        (0..=MAX_LARGE_REQUESTS).map(|_| ask(&state, "kinds", 2, texts(65))).collect::<Vec<_>>();
    for _ in 0..=MAX_LARGE_REQUESTS {
        let request = state.queue().lock().unread.pop_front().unwrap();
        state.queue().read(request);
    }
    assert_eq!(state.queue().lock().large.len(), MAX_LARGE_REQUESTS);
    let mut last = waiting.into_iter().next_back().unwrap();
    let error = last.reply.try_recv().unwrap().unwrap_err();
    assert_eq!(error.into_response().status(), 503);
}

#[test]
fn one_address_leaves_room_for_the_large_requests_of_others() {
    let state = idle();
    let client = |last| Client::new([10, 0, 0, last].into(), &Limits::default());
    let own = MAX_LARGE_REQUESTS / 4;
    let asked = |last| {
        let mut pending = ask_from(client(last), &state, "kinds", 2, texts(65));
        let request = state.queue().lock().unread.pop_front().unwrap();
        state.queue().read(request);
        let refused = pending.reply.try_recv().ok().map(Result::unwrap_err);
        (refused, pending)
    };
    let mut kept = Vec::new();
    for _ in 0..own {
        let (refused, pending) = asked(1);
        assert_eq!(refused, None);
        kept.push(pending);
    }
    let error = asked(1).0.expect("it has its share");
    assert_eq!(error.into_response().status(), 429);
    assert_eq!(asked(2).0, None);
}

#[test]
fn refused_requests_do_not_delay_others() {
    let state = idle();
    let queue = state.queue();
    let mut good = ask(&state, "kinds", 2, text(0));
    let mut steps = 0;
    let mut got = None;
    while got.is_none() && steps < 100 {
        // There is always one more to read.
        drop(ask_badly(&state));
        let _kept = ask_badly(&state);
        assert!(queue.step());
        got = good.got();
        steps += 1;
    }
    assert!(got.is_some() && steps <= BATCH_SAMPLES + 2, "{steps}");
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
    assert!(compute(jobs, state.metrics()).is_none());
    assert!(bad.reply.try_recv().unwrap().is_err());
    assert_eq!((good.got().unwrap().len(), also.got().unwrap().len()), (1, 1));
}

#[test]
fn abandoned_requests_are_not_computed() {
    let state = idle();
    let queue = state.queue();
    drop(ask(&state, "reviews", 1, text(0)));
    let gone = ask(&state, "reviews", 1, text(0));
    assert!(queue.step());
    assert_eq!(queue.lock().jobs.len(), 1);
    drop(gone);
    assert!(queue.step());
    assert!(state.metrics().text().contains("ngsll_batch_samples_count 0"));
}

#[test]
fn a_panic_ends_its_request_only() {
    let state = idle();
    let queue = state.queue();
    let (reply, mut answer) = oneshot::channel();
    queue.push(here(), 1, Box::new(|| panic!("in reading")), reply).unwrap();
    assert!(queue.step());
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), ApiError::internal());
    let (reply, mut answer) = oneshot::channel();
    let model = Arc::clone(state.model("houses").unwrap());
    let query = Query { model, k: 1, samples: row(0) };
    let request = QueuedRequest::explain(query, |_, _| panic!("in writing"));
    queue.push(here(), 1, Box::new(|| Ok(request)), reply).unwrap();
    assert!(queue.step() && queue.step());
    assert_eq!(answer.try_recv().unwrap().unwrap_err(), ApiError::internal());
    let in_computing: Result<(), ApiError> = caught(|| panic!("in computing"));
    assert_eq!(in_computing, Err(ApiError::internal()));
    let mut good = ask(&state, "houses", 1, row(2));
    assert!(queue.step() && queue.step());
    assert_eq!(good.got().unwrap().len(), 1);
}
