//! Tells newer clients, which listen by a request, of every change.

use rmcp::service::SubscriptionContext;

use super::house::House;

impl House {
    /// Tells one listener until it stops listening or everything is over.
    pub async fn tell_changes(&self, listener: &SubscriptionContext) {
        let sink = listener.sink();
        let mut editions = self.edition.subscribe();
        let mut told = editions.borrow_and_update().revision;
        loop {
            tokio::select! {
                changed = editions.changed() => if changed.is_err() { return },
                () = listener.cancelled() => return,
                () = self.gone.cancelled() => return,
            }
            let now = editions.borrow_and_update().revision;
            // What a listener did not ask for is refused by the sink.
            if now.tools != told.tools {
                let _ = sink.notify_tool_list_changed().await;
            }
            if now.prompts != told.prompts {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if now.resources != told.resources {
                let _ = sink.notify_resource_list_changed().await;
            }
            if now.contents != told.contents {
                for uri in sink.accepted().resource_subscriptions.iter().flatten() {
                    let _ = sink.notify_resource_updated(uri.clone()).await;
                }
            }
            told = now;
        }
    }
}
