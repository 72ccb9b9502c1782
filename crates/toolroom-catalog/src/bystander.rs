//! Files that only happen to lie among tools: of an extension that makes a tool of a file
//! only if it has a block of metadata, and without one. Nothing that is wrong with such a
//! file is anybody's problem.

use std::io::Read as _;
use std::path::Path;

use crate::extract::front_matter;
use crate::extract::registry::Extractors;
use crate::read;
use crate::walk::split_extension;

/// How much of a file is looked at for its leading comment.
const HEAD: u64 = 64 * 1024;

/// Whether a file that cannot be read as a tool never meant to be one.
pub(crate) fn is_bystander(path: &Path, extractors: &Extractors) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let extension = name
        .and_then(split_extension)
        .map(|(_, extension)| extension);
    let style = extension.and_then(|extension| extractors.required_front_matter(extension));
    style.is_some_and(|style| !path.is_dir() && !front_matter::has_block(&head(path), &style))
}

/// The beginning of a plain file, whatever it is made of; of anything else nothing.
fn head(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok((file, _)) = read::opened(path)
        && file.take(HEAD).read_to_end(&mut bytes).is_err()
    {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
