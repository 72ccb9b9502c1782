//! Serves one client over standard input and output. Nothing but the protocol is written
//! there, and the end of the input ends everything at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, ProtocolVersion, RequestMetaObject, ServerConfig,
    ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, serve_directly};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use rmcp::{RoleServer, Service};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::ServeError;
use super::ending::told_to_end;
use super::handler::Handler;
use super::house::House;
use super::lines::Lines;
use super::misread::ILLEGIBLE;
use super::session::Session;
use crate::live;
use crate::threads;

/// The longest request that is read; longer ones are skipped, and told so.
const LONGEST_LINE: usize = 16 << 20;

/// Those that read, write and watch for us.
const LEAST_THREADS: usize = 3;

/// Serves until the client closes our input or the process is told to end.
///
/// # Errors
/// Fails if no runtime can be made, or the system has no threads for it.
pub fn serve(house: &Arc<House>) -> Result<(), ServeError> {
    threads::try_some(LEAST_THREADS).map_err(ServeError::NoThreads)?;
    // One thread answers faster than several would start.
    let runtime = toolroom_exec::runtime().map_err(ServeError::NoRuntime)?;
    let talking = house.clone();
    let say = move |fault: &str| talking.talk.say(fault);
    runtime.block_on(async {
        let (reader, writer) = stdio_pipes();
        let reader = UntilEnd {
            reader: Lines::new(reader, LONGEST_LINE, say),
            gone: house.gone.clone(),
        };
        let transport =
            AsyncRwTransport::new_server(reader, writer).with_max_line_length(LONGEST_LINE);
        let service = BothEras {
            handler: Handler {
                session: Arc::new(Session::new(house.clone())),
            },
            has_session: AtomicBool::new(false),
        };
        tokio::spawn(live::follow(house.clone()));
        let running = serve_directly(service, transport, None);
        tokio::select! {
            _ = running.waiting() => {}
            () = told_to_end() => {}
        }
    });
    house.gone.cancel();
    house.tasks.0.shutdown();
    // A thread that reads files for us is not waited for.
    runtime.shutdown_background();
    Ok(())
}

/// Reads until there is no more, and then says so to everything that runs.
struct UntilEnd<R> {
    reader: R,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEnd<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.reader).poll_read(context, buffer);
        if let Poll::Ready(outcome) = &read
            && (outcome.is_err() || buffer.filled().len() == before)
        {
            self.gone.cancel();
        }
        read
    }
}

/// Serves both eras over one connection: requests that say everything themselves, and a
/// session for those who shake hands first.
struct BothEras {
    handler: Handler,
    has_session: AtomicBool,
}

impl BothEras {
    fn admit(&self, request: &ClientRequest, meta: &RequestMetaObject) -> Result<(), ErrorData> {
        match request {
            ClientRequest::InitializeRequest(_) => {
                self.has_session.store(true, Ordering::Release);
                Ok(())
            }
            ClientRequest::PingRequest(_) => Ok(()),
            // One that lacks something is told what.
            ClientRequest::CustomRequest(request)
                if matches!(request.method.as_str(), "initialize" | ILLEGIBLE) =>
            {
                Ok(())
            }
            _ if self.has_session.load(Ordering::Acquire) => Ok(()),
            _ => {
                let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
                if missing.is_empty() {
                    return Ok(());
                }
                let message = format!(
                    "no session was begun by initialize, and _meta lacks {}",
                    missing.join(", ")
                );
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }
}

impl Service<RoleServer> for BothEras {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.admit(&request, &context.meta)?;
        self.handler.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.handler)
    }
}
