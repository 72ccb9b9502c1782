//! One installed distribution. Its metadata is read when it is first asked for, because
//! most of what is installed plays no part in most questions.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pep440_rs::Version;

use super::direct_url::DirectUrl;
use super::egg;
use super::metadata::Metadata;
use crate::requirement::pep508::normalize;

/// In which of the historic forms a distribution is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    DistInfo,
    /// `*.egg-info`, a directory with `PKG-INFO` and perhaps `requires.txt`.
    EggInfo,
    /// `*.egg-info`, a file that is the metadata.
    EggInfoFile,
    /// `*.egg`, a directory with `EGG-INFO`.
    Egg,
    /// `*.egg-link`: developed in place at this directory.
    EggLink(PathBuf),
}

/// A distribution found in a package directory.
#[derive(Debug)]
pub struct Distribution {
    name: String,
    /// The version its file name states; `METADATA` has the last word.
    stated: Option<String>,
    place: PathBuf,
    form: Form,
    inherited: bool,
    details: OnceCell<Result<Details, String>>,
    origin: OnceCell<Option<DirectUrl>>,
}

#[derive(Debug)]
pub(super) struct Details {
    pub version: Version,
    pub requires: Vec<String>,
    pub requires_python: Option<String>,
}

impl Distribution {
    /// Takes an entry of a package directory, if it is the mark of a distribution.
    pub(super) fn of_entry(directory: &Path, file_name: &str, inherited: bool) -> Option<Self> {
        // pip renames what it is about to remove to a name that begins with `~`.
        if file_name.starts_with(['~', '.']) {
            return None;
        }
        let (stem, suffix) = file_name.rsplit_once('.')?;
        let place = directory.join(file_name);
        let form = match suffix {
            "dist-info" => Form::DistInfo,
            "egg-info" if place.is_dir() => Form::EggInfo,
            "egg-info" => Form::EggInfoFile,
            "egg" => Form::Egg,
            "egg-link" => Form::EggLink(egg::link_target(&place)?),
            _ => return None,
        };
        let (name, stated) = match (&form, stem.split_once('-')) {
            (Form::EggLink(_), _) => (stem, None),
            (Form::DistInfo, _) => match stem.rsplit_once('-') {
                Some((name, version)) => (name, Some(version)),
                None => (stem, None),
            },
            (_, Some((name, rest))) => (name, rest.split("-py").next()),
            (_, None) => (stem, None),
        };
        if name.is_empty() {
            return None;
        }
        Some(Self {
            name: normalize(name),
            stated: stated.map(str::to_owned),
            place,
            form,
            inherited,
            details: OnceCell::new(),
            origin: OnceCell::new(),
        })
    }

    /// The normalised name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it belongs to the installation below the environment.
    #[must_use]
    pub fn is_inherited(&self) -> bool {
        self.inherited
    }

    /// The file or directory that marks it.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The version as text: the one its file name states, without reading anything, or
    /// else that of its metadata.
    #[must_use]
    pub fn version(&self) -> String {
        match (self.details.get(), &self.stated) {
            (Some(Ok(details)), _) => details.version.to_string(),
            (_, Some(stated)) => stated.clone(),
            _ => match self.details() {
                Ok(details) => details.version.to_string(),
                Err(_) => String::new(),
            },
        }
    }

    /// What its metadata says, or why that cannot be known.
    pub(super) fn details(&self) -> Result<&Details, &str> {
        self.details
            .get_or_init(|| self.read_details())
            .as_ref()
            .map_err(String::as_str)
    }

    fn read_details(&self) -> Result<Details, String> {
        let metadata = match &self.form {
            Form::DistInfo => Metadata::read(&self.place.join("METADATA"))?,
            Form::EggInfo => egg::read(&self.place)?,
            Form::EggInfoFile => Metadata::read(&self.place)?,
            Form::Egg => egg::read(&self.place.join("EGG-INFO"))?,
            Form::EggLink(target) => egg::read(&egg::info_in(target, &self.name)?)?,
        };
        if metadata.version.len() > 256 {
            return Err("its version is too long".to_owned());
        }
        let version = Version::from_str(&metadata.version)
            .map_err(|_| format!("its version `{}` is not a version", metadata.version))?;
        Ok(Details {
            version,
            requires: metadata.requires,
            requires_python: metadata.requires_python,
        })
    }

    /// Where it was installed from, if that was not an index.
    pub(super) fn origin(&self) -> Option<&DirectUrl> {
        self.origin
            .get_or_init(|| match &self.form {
                Form::EggLink(target) => Some(DirectUrl::editable(target)),
                Form::DistInfo => DirectUrl::read(&self.place.join("direct_url.json")),
                Form::EggInfo | Form::EggInfoFile | Form::Egg => None,
            })
            .as_ref()
    }
}
