//! Reads every file of a folder as a tool, several times: something to profile.

use std::path::Path;

use toolroom_catalog::extract::registry::Extractors;
use toolroom_catalog::read::{self, Read};
use toolroom_kernel::model::{Space, ToolId};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder");
    let rounds: usize = arguments
        .next()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1);
    let extractors = Extractors::core();
    let id = ToolId::parse("x").expect("an id");
    let mut tools = 0;
    for _ in 0..rounds {
        for entry in fs_err::read_dir(Path::new(&folder))
            .expect("a folder")
            .flatten()
        {
            if let Read::Tool(_) =
                read::file(Space::Project, &id, &entry.path(), ".py", &extractors)
            {
                tools += 1;
            }
        }
    }
    assert!(tools > 0, "there were tools");
}
