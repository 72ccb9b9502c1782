//! `toolroom mcp serve`: every tool, for every agent.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use toolroom_kernel::World;
use toolroom_mcp::http::Authority;
use toolroom_mcp::{Choice, House, Http, Options, Talk, http, stdio};
use toolroom_provision::plan::Selected;

use crate::answer::Answer;
use crate::args::McpServe;
use crate::failure::Failure;
use crate::guard::guard;
use crate::printer::{Printer, Volume};
use crate::settings::{self, Settings};

/// The variable that holds the token clients have to show.
const TOKEN: &str = "TOOLROOM_MCP_TOKEN";
const SHORTEST_TOKEN: usize = 16;
const KEEP_SERVERS: Duration = Duration::from_secs(300);

pub fn run(args: McpServe, world: World, printer: &mut Printer) -> Result<Answer, Failure> {
    serve(args, world, printer)?;
    // Standard output belonged to the protocol; what fails does so before it is spoken.
    printer.json = false;
    Ok(Answer::new(String::new(), Value::Null))
}

fn serve(args: McpServe, world: World, printer: &Printer) -> Result<(), Failure> {
    let settings = settings::load(&world)?;
    let token = world
        .env
        .get(TOKEN)
        .filter(|token| !token.is_empty())
        .map(str::to_owned);
    let address = args.http.as_deref().map(address).transpose()?;
    let names = args.allow_host.iter().map(|name| host(name));
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let directories = world.directories.as_ref();
    let runs = directories
        .filter(|_| settings.runs.log)
        .map(|directories| directories.state.clone());
    let options = options(args.tools, args.meta, settings, runs)?;
    let talk = *printer;
    let say = move |remark: &str| talk.note(&format!("note: {remark}"));
    let now = world.clone();
    let settings = move || settings::load(&now).err().map(|fault| line(&fault));
    let house = House::open(world, options, Talk::new(say, settings))?;
    for remark in house.remarks() {
        house.talk.say(&remark);
    }
    match address {
        None => stdio::serve(&house)?,
        Some(address) => {
            let (token, is_new) = if args.no_auth {
                (None, false)
            } else {
                admission(token)?
            };
            let announced = token.clone().filter(|_| is_new);
            // Said even when quiet: without it nobody could connect.
            let aloud = Printer {
                volume: Volume::Normal,
                ..talk
            };
            let how = Http {
                address,
                token,
                names,
            };
            let ready = |bound: SocketAddr| {
                aloud.note(&format!("listening on http://{bound}{}", http::PATH));
                if let Some(token) = announced {
                    aloud.note(&format!("token: {token}"));
                }
                if !bound.ip().is_loopback() {
                    let hosts = how.hosts().join(", ");
                    aloud.note(&format!("served as {hosts}; --allow-host NAME adds a name"));
                }
            };
            http::serve(&house, &how, ready)?;
        }
    }
    Ok(())
}

/// A failure in a line, with its place.
fn line(failure: &Failure) -> String {
    let Some(place) = &failure.place else {
        return failure.message.clone();
    };
    let path = place.path.display();
    let line = place.position.map(|position| format!(":{}", position.line));
    format!("{path}{}: {}", line.unwrap_or_default(), failure.message)
}

fn options(
    tools: Vec<String>,
    meta: bool,
    settings: Settings,
    runs: Option<PathBuf>,
) -> Result<Options, Failure> {
    const LEAST_PLACES: usize = 16;
    let chosen = if tools.is_empty() {
        settings.mcp.tools.unwrap_or_default()
    } else {
        tools
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Options {
        choice: Choice { patterns: chosen },
        meta,
        concurrency: settings
            .mcp
            .concurrency
            .unwrap_or_else(|| LEAST_PLACES.max(4 * cores)),
        dotenv_allow: settings.dotenv.allow,
        policy: settings.python_environment.policy(),
        selected: Selected {
            extras: settings.python_environment.extras,
            groups: settings.python_environment.groups,
        },
        major_packages: settings.python_environment.major_packages,
        keep_servers: settings
            .mcp
            .keep_servers
            .map_or(KEEP_SERVERS, Duration::from_secs),
        runs,
        guard: guard()?.kept_ready(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The token, and whether it was made just now.
fn admission(given: Option<String>) -> Result<(Option<String>, bool), Failure> {
    match given {
        None => Ok((Some(http::token()?), true)),
        Some(token) if token.len() < SHORTEST_TOKEN => {
            let message = format!("{TOKEN} has fewer than {SHORTEST_TOKEN} characters");
            Err(Failure::new("usage::weak_token", message).help("leave it out, and one is made"))
        }
        Some(token) => Ok((Some(token), false)),
    }
}

/// `127.0.0.1:8000`, `localhost:8000`, or only a port of this machine.
fn address(written: &str) -> Result<SocketAddr, Failure> {
    let bare = written.strip_prefix(':').unwrap_or(written);
    if let Ok(port) = bare.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let local = written
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    local.as_deref().unwrap_or(written).parse().map_err(|_| {
        let message = format!("--http {written} is not an address with a port");
        Failure::new("usage::bad_address", message)
            .help("write 127.0.0.1:8000, or 0 for any free port of this machine")
    })
}

/// A name by which clients call this machine, with a port or for any.
fn host(written: &str) -> Result<Authority, Failure> {
    let name = written.parse::<Authority>().ok();
    let plain = name.filter(|name| !name.as_str().contains('@') && !name.host().contains('*'));
    plain.ok_or_else(|| {
        let message = format!("--allow-host {written} is not the name of a host");
        Failure::new("usage::bad_host", message).help(
            "write it as clients do in addresses: tools.example.org, 192.168.1.5 or [fd00::5]",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for written in ["8000", ":8000", "127.0.0.1:8000", "localhost:8000"] {
            assert_eq!(address(written).unwrap().to_string(), "127.0.0.1:8000");
        }
        assert_eq!(address("[::1]:1").unwrap().to_string(), "[::1]:1");
        for written in ["", "host", "example.org:80", "99999"] {
            assert!(address(written).is_err(), "{written}");
        }
    }

    #[test]
    fn a_host_is_a_name_and_nothing_else() {
        for written in ["tools.example.org", "a:8000", "192.168.1.5", "[fd00::5]:80"] {
            assert_eq!(host(written).unwrap().as_str(), written);
        }
        for written in ["", "http://a", "a/b", "me@a", "*", "*.example.org", "a b"] {
            assert!(host(written).is_err(), "{written}");
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_is_refused() {
        assert!(admission(Some("short".into())).is_err());
        assert_eq!(
            admission(Some("0123456789abcdef".into())).unwrap(),
            (Some("0123456789abcdef".into()), false)
        );
        assert_eq!(
            admission(None).unwrap().0.map(|token| token.len()),
            Some(64)
        );
    }
}
