//! What can become of a call that another MCP server was to answer, besides its result.
//!
//! Whoever speaks the protocol says which it is and in which words; the code and the next
//! step are known here.

/// A kind of failure of another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    NotStarted,
    Unreachable,
    Unauthorized,
    /// It answered that there is nothing at this address.
    WrongAddress,
    /// It answered that it cannot answer.
    ServerFault,
    NotMcp,
    /// It ended during the call.
    Ended,
    /// The way to it broke during the call.
    Lost,
    TimedOut,
    /// It did not take the call.
    Refused,
    /// Its tool failed.
    Failed,
}

impl Trouble {
    const ALL: [Self; 11] = [
        Self::NotStarted,
        Self::Unreachable,
        Self::Unauthorized,
        Self::WrongAddress,
        Self::ServerFault,
        Self::NotMcp,
        Self::Ended,
        Self::Lost,
        Self::TimedOut,
        Self::Refused,
        Self::Failed,
    ];

    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotStarted => "mcp::server_not_started",
            Self::Unreachable => "mcp::server_unreachable",
            Self::Unauthorized => "mcp::server_unauthorized",
            Self::WrongAddress => "mcp::wrong_address",
            Self::ServerFault => "mcp::server_fault",
            Self::NotMcp => "mcp::not_a_server",
            Self::Ended => "mcp::server_ended",
            Self::Lost => "mcp::call_lost",
            Self::TimedOut => "mcp::timeout",
            Self::Refused => "mcp::call_refused",
            Self::Failed => "mcp::tool_failed",
        }
    }

    /// The kind that a code stands for.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trouble| trouble.code() == code)
    }

    /// Whether it kept the call from being made at all: what was asked for cannot have
    /// happened.
    #[must_use]
    pub const fn is_before_the_call(self) -> bool {
        matches!(
            self,
            Self::NotStarted | Self::Unreachable | Self::Unauthorized | Self::WrongAddress
        )
    }

    #[must_use]
    pub const fn help(self) -> Option<&'static str> {
        Some(match self {
            Self::NotStarted => {
                "see that config.command and config.args are right: the server must start by \
                 itself, and what it needs be in its environment"
            }
            Self::Unreachable => {
                "see that the server runs, and that config.url and the proxy variables are right"
            }
            Self::Unauthorized => {
                "give it credentials that it takes, in config.headers or in MCP_HEADERS"
            }
            Self::WrongAddress => {
                "see that config.url has the path where the server speaks MCP, often /mcp"
            }
            Self::ServerFault => "the fault is the server's: its own log says more",
            Self::NotMcp => "see that config.url or config.command means an MCP server",
            Self::Ended => {
                "its standard error may say why; whether the call was carried out is not known"
            }
            Self::Lost => {
                "whether the call was carried out is not known: look before it is made again"
            }
            Self::TimedOut => {
                "--timeout S, or config.timeout, gives it more time; one that never answers may be \
                 no MCP server"
            }
            Self::Refused => {
                "config.tool must name one of the server's tools, and the parameters fit it: \
                 toolroom new --from-mcp reads them anew"
            }
            Self::Failed => return None,
        })
    }
}
