//! Reads every file below a folder as a tool would be read, on one thread, and says how many
//! tools there were: what `scripts/bench catalog` compares with CPython's own parser.
//!
//! usage: extract FOLDER [ROUNDS]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolroom_catalog::extract::registry::Extractors;
use toolroom_catalog::read::{self, Buffer, Metadata};
use toolroom_kernel::model::ToolId;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let rounds: usize = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let mut files = Vec::new();
    collect(&folder, &folder, &mut files)?;
    let extractors = Extractors::core();
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

struct File {
    id: ToolId,
    path: PathBuf,
    extension: String,
    size: u64,
}

fn is_tool(file: &File, buffer: &mut Buffer, extractors: &Extractors) -> bool {
    let Ok(source) = buffer.text(&file.path, file.size) else {
        return false;
    };
    let metadata = read::metadata(&file.id, &file.path, &file.extension, source, extractors);
    matches!(metadata, Metadata::Tool(_))
}

fn collect(
    root: &Path,
    folder: &Path,
    files: &mut Vec<File>,
) -> Result<(), Box<dyn std::error::Error>> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if let Some(extension) = path.extension().and_then(|extension| extension.to_str()) {
            let extension = format!(".{extension}");
            let id = path.strip_prefix(root)?.with_extension("");
            let id = ToolId::parse(&id.to_string_lossy())?;
            let size = path.metadata()?.len();
            files.push(File {
                id,
                path,
                extension,
                size,
            });
        }
    }
    Ok(())
}
