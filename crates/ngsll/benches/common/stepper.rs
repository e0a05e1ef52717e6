//! Training that waits before each step, so that single steps can be timed from outside.

use ngsll::TrainingSetup;
use ngsll::train::Event;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A training run in a separate thread. The real one, from the batch's assembly to the update; it
/// stops when the stepper is dropped.
pub struct Stepper {
    ready: Receiver<()>,
    go: SyncSender<()>,
    done: Receiver<()>,
}

impl Stepper {
    /// Starts the training and makes two steps, which set up the optimiser and the memory.
    pub fn new(setup: TrainingSetup) -> Self {
        let (say_ready, ready) = sync_channel(1);
        let (go, wait) = sync_channel(1);
        let (say_done, done) = sync_channel(1);
        thread::spawn(move || {
            // The receiver is gone: stop.
            let next = || match say_ready.send(()).map(|()| wait.recv()) {
                Ok(Ok(())) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            };
            if next().is_break() {
                return;
            }
            let end = setup.fit(None, &mut |event| match event {
                Event::Step { step, steps, .. } => {
                    let received = say_done.send(());
                    // Validation follows the last step: it is not part of the next one's time.
                    if received.is_ok() && step == steps {
                        ControlFlow::Continue(())
                    } else {
                        next()
                    }
                }
                _ => next(),
            });
            // Without this, a step that fails would look like a training that was dropped.
            if let Err(error) = end.map(drop)
                && !matches!(error, ngsll::Error::Interrupted)
            {
                panic!("{error}");
            }
        });
        let stepper = Self { ready, go, done };
        stepper.step();
        stepper.step();
        stepper
    }

    /// Makes one step; gives its time.
    pub fn step(&self) -> Duration {
        self.wait();
        let start = Instant::now();
        self.make();
        start.elapsed()
    }

    /// Waits until a step can be made.
    pub fn wait(&self) {
        self.ready.recv().expect("the training goes on as long as it is asked to");
    }

    /// Makes the step that was waited for.
    pub fn make(&self) {
        self.go.send(()).expect("the training waits for this");
        self.done.recv().expect("the step comes to its end");
    }
}
