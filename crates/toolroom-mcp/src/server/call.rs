//! One call of one tool: a place in the queue, the run, the answer. Cancellation asks the
//! tool to end; a client that is gone ends it at once.

use std::sync::{Arc, OnceLock};

use rmcp::model::{CallToolResult, JsonObject};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use toolroom_catalog::CatalogError;
use toolroom_catalog::secrets::Secrets;
use toolroom_exec::executor::parameters::ParameterError;
use toolroom_exec::executor::{
    ExecError, Prepared, Report, Request, Watch, Work, prepare, prepare_checked, run_with_spares,
};
use toolroom_exec::subprocess::{Cancel, Listener};
use toolroom_kernel::Explain;
use toolroom_kernel::chain::{Chain, ChainError};
use toolroom_provision::ProvisionError;

use super::Era;
use super::house::House;
use super::linked::LastGood;
use super::progress::Audience;
use crate::tools::ask::Answers;
use crate::tools::entry::{Entry, Linked};
use crate::tools::result::{Finished, Form, explained, fault, placed};

/// A call to make.
#[derive(Debug, Clone)]
pub struct Call {
    pub entry: Arc<Entry>,
    pub arguments: JsonObject,
    pub answers: Answers,
    pub era: Era,
    pub audience: Audience,
    /// Fires when the client no longer wants the answer.
    pub cancelled: CancellationToken,
}

impl House {
    /// Runs a tool once.
    pub async fn run(self: &Arc<Self>, call: &Call) -> Finished {
        let Some(_entered) = self.enter() else {
            return Finished::done(fault("too many calls are waiting; try again later"));
        };
        let (live, ear) = call.audience.listen();
        // Known once the environment is.
        let secrets = OnceLock::new();
        let (finished, ()) = tokio::join!(
            self.run_heard(call, live, &secrets),
            call.audience.tell(ear, &secrets)
        );
        finished
    }

    async fn run_heard(
        self: &Arc<Self>,
        call: &Call,
        live: Option<Listener>,
        secrets: &OnceLock<Secrets>,
    ) -> Finished {
        let over = async {
            tokio::select! {
                () = self.gone.cancelled() => {}
                () = call.cancelled.cancelled() => {}
            }
        };
        let _places = tokio::select! {
            places = self.places(&call.entry) => places,
            () = over => return Finished::done(fault("the call was cancelled")),
        };
        let (chain, prepared, last_good) = match self.prepared(call, live.clone()).await {
            Ok(made) => made,
            Err(result) => return Finished::done(*result),
        };
        if let Some(last_good) = &last_good {
            last_good.tell(&self.talk, live.as_ref());
        }
        for refused in &prepared.resolution.refused {
            self.talk.once(format!("refused: {refused}"));
        }
        let secrets =
            secrets.get_or_init(|| Secrets::of_resolution(&self.world, &prepared.resolution));
        let logged = self.logged(call, &chain);
        let report = tokio::select! {
            report = self.supervised(call, &prepared, live) => report,
            // Dropping the run kills its whole tree.
            () = self.gone.cancelled() => return Finished::done(fault("the client is gone")),
        };
        let form = Form {
            era: call.era,
            outputs: &self.outputs,
            secrets,
        };
        match (report, last_good) {
            (Ok(report), Some(last_good)) if last_good.was_refused(&report) => {
                logged.never_ran();
                Finished::done(last_good.fault.result(secrets))
            }
            (Ok(report), last_good) => {
                logged.ended(&report);
                let mut finished = form.of_report(&report, &call.entry);
                if let Some(last_good) = last_good {
                    last_good.mark(&mut finished);
                }
                finished
            }
            (Err(error), _) => {
                logged.never_ran();
                Finished::done(explained(&error, secrets))
            }
        }
    }

    /// A place for the tool, and one among all.
    async fn places(
        &self,
        entry: &Entry,
    ) -> (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>) {
        let own = match &entry.places {
            Some(places) => acquire(places).await,
            None => None,
        };
        (own, acquire(&self.places).await)
    }

    async fn prepared(
        self: &Arc<Self>,
        call: &Call,
        live: Option<Listener>,
    ) -> Result<(Arc<Chain>, Prepared, Option<LastGood>), Box<CallToolResult>> {
        let variables = call
            .answers
            .variables()
            .map_err(|reason| Box::new(fault(reason)))?;
        let made = async {
            let edition = self.now();
            let (Linked { chain, checker }, last_good) = self.linked(&edition, &call.entry).await?;
            let ready = self.ready(&edition, &chain, call, live).await?;
            let request = Request {
                world: &self.world,
                catalog: edition.book.catalog(&self.world),
                chain: &chain,
                source: last_good
                    .as_ref()
                    .and_then(|last_good| last_good.text.as_deref()),
                params: &call.arguments,
                env: &variables,
                timeout: None,
                dotenv_allow: &self.options.dotenv_allow,
                preferred: &ready.preferred,
                setup: ready.setup.as_ref(),
            };
            let prepared = match &checker {
                Some(checker) => prepare_checked(&request, checker),
                None => prepare(&request),
            };
            match (prepared, last_good) {
                (Err(ExecError::NeedsFile(_)), Some(last_good)) => Err(last_good.fault),
                (prepared, last_good) => Ok((chain.clone(), prepared?, last_good)),
            }
        };
        made.await.map_err(|error: Unprepared| {
            let secrets = Secrets::of(self.world.env.iter());
            Box::new(error.result(&secrets))
        })
    }

    async fn supervised(
        &self,
        call: &Call,
        prepared: &Prepared,
        live: Option<Listener>,
    ) -> Result<Report, ExecError> {
        if let Work::Bridge(bridge) = &prepared.work {
            let cancelled = call.cancelled.cancelled();
            let called = self.servers.call(bridge, prepared.timeout, cancelled, live);
            return Ok(called.await);
        }
        let cancel = Cancel::new();
        let directories = self.world.directories.as_ref();
        let watch = Watch {
            guard: &self.options.guard,
            cancel: &cancel,
            live,
            spill: directories.map(|directories| directories.cache.join("output")),
        };
        let run = run_with_spares(prepared, &watch, &self.spares);
        tokio::pin!(run);
        tokio::select! {
            report = &mut run => return report,
            () = call.cancelled.cancelled() => cancel.stop(),
        }
        run.await
    }
}

async fn acquire(places: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    places.clone().acquire_owned().await.ok()
}

/// Why a call could not be made; the model is told, and may do better.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unprepared {
    #[error("the call was cancelled")]
    Abandoned,
    /// What its file says now cannot be shown to clients.
    #[error("{0}")]
    NotServed(String),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Provision(#[from] ProvisionError),
    #[error(transparent)]
    Exec(#[from] ExecError),
}

impl From<ParameterError> for Unprepared {
    fn from(error: ParameterError) -> Self {
        ExecError::from(error).into()
    }
}

impl Unprepared {
    pub(super) fn result(&self, secrets: &Secrets) -> CallToolResult {
        if let Self::Exec(ExecError::Parameters(ParameterError::Invalid { faults, known })) = self {
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            return fault(format!(
                "invalid arguments: {}\nthe tool's arguments: {known}",
                faults.join("; ")
            ));
        }
        match self.cause() {
            Some(error) => explained(error, secrets),
            None => fault(self.to_string()),
        }
    }

    /// In one line, with its place.
    pub(super) fn told(&self) -> String {
        self.cause().map_or_else(|| self.to_string(), placed)
    }

    fn cause(&self) -> Option<&dyn Explain> {
        match self {
            Self::Catalog(error) => Some(error),
            Self::Chain(error) => Some(error),
            Self::Provision(error) => Some(error),
            Self::Exec(error) => Some(error),
            Self::Abandoned | Self::NotServed(_) => None,
        }
    }
}
