//! A connection with a time limit for the client to read each response.
//!
//! A timeout of the service (as tower's) ends when the response's headers are ready, and one for each write (as
//! `tokio-io-timeout`'s) is never reached by a client that goes on reading byte by byte: the bound here is on the
//! time for a whole response.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails when the client does not read a response in time, even if it keeps reading slowly.
pub struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Runs from the first byte of a response until all of it is written.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> WriteTimeout<S> {
    /// Gives every response this much time.
    pub fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, deadline: None }
    }

    /// Starts the deadline if none is running; fails once it has passed.
    fn watch(&mut self, context: &mut Context<'_>) -> Result<()> {
        let limit = self.limit;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        if deadline.as_mut().poll(context).is_pending() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::TimedOut, "the client reads its response too slowly"))
    }

    /// The result of a flush or shutdown, or a timeout error. An encrypted stream buffers a small response at once, and
    /// then only its flush waits for the client.
    fn finish(&mut self, context: &mut Context<'_>, done: Poll<Result<()>>) -> Poll<Result<()>> {
        if done.is_ready() {
            self.deadline = None;
            return done;
        }
        match self.watch(context) {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.watch(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.watch(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.finish(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.finish(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::net::{TcpListener, TcpStream};

    /// Writes on and on, as hyper does, until it fails.
    async fn write_until_error(mut near: WriteTimeout<TcpStream>) -> ErrorKind {
        loop {
            let write = poll_fn(|c| Pin::new(&mut near).poll_write(c, &[0; 1 << 16])).await;
            if let Err(error) = write {
                return error.kind();
            }
        }
    }

    /// The error that ends an endless response to a client that reads 4 KiB every 20 ms, or nothing.
    fn fails(reads: bool) -> ErrorKind {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (far, _) = listener.accept().await.unwrap();
            let near = WriteTimeout::new(near, Duration::from_millis(300));
            let reader = tokio::spawn(async move {
                let mut buffer = vec![0; 4096];
                loop {
                    if reads {
                        far.readable().await.unwrap();
                        let _ = far.try_read(&mut buffer);
                    }
                    sleep(Duration::from_millis(20)).await;
                }
            });
            let error = tokio::time::timeout(Duration::from_secs(10), write_until_error(near));
            let error = error.await.expect("the timeout ends it");
            reader.abort();
            error
        })
    }

    /// Takes every byte and sends none, as an encrypted stream whose client does not read.
    struct Holding;

    impl AsyncRead for Holding {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for Holding {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Pending
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Pending
        }
    }

    /// The error that ends a flush or a shutdown that waits for the client.
    async fn ends(what: impl Future<Output = Result<()>>) -> ErrorKind {
        let ended = tokio::time::timeout(Duration::from_secs(10), what);
        ended.await.expect("the timeout ends it").expect_err("nothing was sent").kind()
    }

    #[tokio::test]
    async fn buffered_bytes_that_are_not_sent_time_out() {
        let holding = || WriteTimeout::new(Holding, Duration::from_millis(50));
        let mut stream = holding();
        let written = poll_fn(|c| Pin::new(&mut stream).poll_write(c, b"answer")).await;
        assert_eq!(written.unwrap(), 6);
        assert_eq!(
            ends(poll_fn(|c| Pin::new(&mut stream).poll_flush(c))).await,
            ErrorKind::TimedOut
        );
        // Also where nothing was written before, as by the greeting of an encrypted connection.
        let mut stream = holding();
        assert_eq!(
            ends(poll_fn(|c| Pin::new(&mut stream).poll_flush(c))).await,
            ErrorKind::TimedOut
        );
        let mut stream = holding();
        let shut = poll_fn(|c| Pin::new(&mut stream).poll_shutdown(c));
        assert_eq!(ends(shut).await, ErrorKind::TimedOut);
    }

    #[test]
    fn a_response_that_is_not_taken_fails_after_its_time() {
        assert_eq!(fails(false), ErrorKind::TimedOut);
    }

    #[test]
    fn so_does_one_that_is_taken_drop_by_drop() {
        assert_eq!(fails(true), ErrorKind::TimedOut);
    }
}
