//! Reads every tool file below a folder as a listing would, on one thread, and says how many
//! tools there were: what `scripts/bench catalog` compares with CPython's own parser.
//!
//! usage: extract FOLDER [ROUNDS]

use std::io::Write as _;
use std::path::PathBuf;

use toolroom_catalog::extract::registry::Extractors;
use toolroom_catalog::read::{self, Buffer, Metadata};
use toolroom_catalog::walk::{ToolFile, walk};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let rounds: usize = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let extractors = Extractors::core();
    let files = walk(&folder, &extractors).files;
    let mut buffer = Buffer::default();
    let mut tools = 0;
    for _ in 0..rounds {
        for file in &files {
            tools += usize::from(is_tool(file, &mut buffer, &extractors));
        }
    }
    writeln!(std::io::stdout(), "{tools}")?;
    Ok(())
}

fn is_tool(file: &ToolFile<'_>, buffer: &mut Buffer, extractors: &Extractors) -> bool {
    let Ok(source) = buffer.text(file) else {
        return false;
    };
    let metadata = read::metadata(&file.id, &file.path, file.extension, source, extractors);
    matches!(metadata, Metadata::Tool(_))
}
