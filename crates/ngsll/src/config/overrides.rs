//! Options that override the defaults by name, from configuration files and command lines.

use super::{Config, Task, wrong_value};
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::generator::GeneratorConfig;
use crate::representation::RepresentationConfig;

/// Options by their names in the TOML file, in the order in which they were given; a later one wins.
///
/// ```
/// use ngsll::config::Overrides;
/// let mut options = Overrides::new();
/// options.set("task", "text");
/// options.set("generator.units", "64");
/// assert!(options.config()?.to_toml()?.contains("units = 64"));
/// options.set("generator.unit", "64");
/// let wrong = options.config().unwrap_err().to_string();
/// assert_eq!(wrong, "generator.unit = 64: there is no such option; did you mean generator.units?");
/// # Ok::<(), ngsll::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    given: Vec<Given>,
}

/// One option that was given.
#[derive(Debug, Clone)]
struct Given {
    /// Its name as given.
    name: String,
    path: Vec<String>,
    value: toml::Value,
}

impl Given {
    fn new(name: &str, value: toml::Value) -> Self {
        let path = path(name).into_iter().map(String::from).collect();
        Self { name: name.to_string(), path, value }
    }
}

impl Overrides {
    /// No options.
    pub fn new() -> Self {
        Self::default()
    }

    /// The options of a TOML file; the error is the line, counted from 1, and what is wrong there.
    pub fn from_toml(text: &str) -> Result<Self, (usize, String)> {
        let mut table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            (line, e.message().trim().to_string())
        })?;
        spell_out_kinds(&mut table);
        let mut given = Vec::new();
        flatten(&[], table, &mut given);
        // A network is chosen before its sizes are.
        given.sort_by_key(|option| option.path.last().is_none_or(|name| name != "kind"));
        Ok(Self { given })
    }

    /// Sets the option named by its path, such as `generator.units`, `data.columns."alk.phos"` or
    /// `data.columns.income.monotone`; the value is TOML, and bare words are strings.
    pub fn set(&mut self, name: &str, value: &str) {
        let parsed: Option<toml::Table> = toml::from_str(&format!("value = {value}")).ok();
        let parsed = parsed.and_then(|mut table| table.remove("value"));
        let value = parsed.unwrap_or_else(|| toml::Value::String(value.to_string()));
        self.given.push(Given::new(name, value));
    }

    /// Sets an option to a text, whatever it looks like.
    pub fn set_text(&mut self, name: &str, text: impl Into<String>) {
        self.given.push(Given::new(name, toml::Value::String(text.into())));
    }

    /// The kind of samples, where it is given.
    pub fn task(&self) -> Result<Option<Task>> {
        let Some(task) = self.table(self.given.len()).remove("task") else { return Ok(None) };
        let wrong = Error::setting("task", &task, "expected text, image or tabular");
        task.try_into().map(Some).map_err(|_| wrong)
    }

    /// The kind of evidence, by the options that decide it; errors in them are reported
    /// when they are laid over the defaults.
    fn evidence(&self) -> Evidence {
        let table = self.table(self.given.len());
        let training = |name: &str| table.get("training")?.get(name)?.as_str();
        match (training("evidence"), training("preset")) {
            (Some("whole"), _) | (None, Some("annealed" | "paper")) => Evidence::Whole,
            _ => Evidence::Chosen,
        }
    }

    /// The defaults of the task with all options laid over them. The error names the first option that fails
    /// with them.
    pub fn config(&self) -> Result<Config> {
        let expected = "expected text, image or tabular";
        let task = self.task()?.ok_or_else(|| Error::setting("task", "none", expected))?;
        self.applied_to(&Config::with_evidence(task, self.evidence()))
    }

    /// `config` with all options laid over it. The error names the first option with which they do not work.
    ///
    /// ```
    /// use ngsll::config::{Config, Overrides, Task};
    /// let mut options = Overrides::new();
    /// options.set("generator.units", "64");
    /// let config = options.applied_to(&Config::new(Task::Text))?;
    /// assert!(config.to_toml()?.contains("units = 64"));
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn applied_to(&self, config: &Config) -> Result<Config> {
        let attempt = |given: usize| overlay(config, self.table(given));
        let changed = attempt(self.given.len()).map_err(|message| {
            let first = (1..=self.given.len()).find_map(|n| Some((n, attempt(n).err()?)));
            match first {
                Some((n, message)) => self.given[n - 1].error(message),
                None => Error::setting("options", "together", message),
            }
        });
        let mut changed = changed?;
        // Content read from files is not written to TOML.
        changed.keep_what_was_read(config);
        Ok(changed)
    }

    /// The first `given` options.
    fn table(&self, given: usize) -> toml::Table {
        let mut table = toml::Table::new();
        for option in &self.given[..given] {
            insert(&mut table, &option.path, option.value.clone());
        }
        table
    }
}

impl Given {
    /// The error about an option, in the words of the table of options where the parser found it.
    fn error(&self, message: String) -> Error {
        let message = wrong_value::sentence(&self.path.join("."), &self.value, message);
        Error::setting(&self.name, &self.value, message)
    }
}

/// The options of a file one by one. Options that are tables themselves are not taken apart.
fn flatten(path: &[String], table: toml::Table, given: &mut Vec<Given>) {
    for (key, value) in table {
        let path: Vec<String> = path.iter().cloned().chain([key]).collect();
        match value {
            toml::Value::Table(inner) if !inner.is_empty() => flatten(&path, inner, given),
            value => given.push(Given { name: as_written(&path), path, value }),
        }
    }
}

/// The name of an option in a file: the kind of a column is usually written without `.kind`.
fn as_written(path: &[String]) -> String {
    match path {
        [data, columns, _, kind] if data == "data" && columns == "columns" && kind == "kind" => {
            path[..3].join(".")
        }
        _ => path.join("."),
    }
}

/// `config` with the options of a table laid over it; the error says what is wrong.
fn overlay(config: &Config, over: toml::Table) -> Result<Config, String> {
    let mut base = config.clone();
    if let Some(kind) = over.get("generator").and_then(|g| g.get("kind")).and_then(|k| k.as_str())
        && kind != base.generator.kind()
    {
        // Another network has other options.
        base.generator = GeneratorConfig::by_kind(kind)?;
    }
    let mut table = toml::Table::try_from(&base).map_err(|e| e.to_string())?;
    let kind = |table: &toml::Table| table.get("representation")?.get("kind").cloned();
    if let (Some(asked), own) = (kind(&over), kind(&table))
        && own.as_ref() != Some(&asked)
    {
        let own = own.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default();
        return Err(format!("it does not belong to this task, expected {own}"));
    }
    spell_out_kinds(&mut table);
    merge(&mut table, over);
    table.try_into().map_err(|e: toml::de::Error| e.message().trim().to_string())
}

/// The keys of an option's path. The part after `data.columns.` is the name of one column, with or without
/// quotes, which a shell may have removed: a name may contain dots. A name without quotes ends before
/// `.monotone`.
fn path(name: &str) -> Vec<&str> {
    let Some(column) = name.strip_prefix("data.columns.") else { return name.split('.').collect() };
    let (column, option) = match column.strip_suffix(".monotone") {
        Some(column) => (column, "monotone"),
        None => (column, "kind"),
    };
    let quoted = |quote| column.strip_prefix(quote)?.strip_suffix(quote);
    let column = quoted('"').or_else(|| quoted('\'')).unwrap_or(column);
    vec!["data", "columns", column, option]
}

/// Turns `zip = "categorical"` into `zip.kind = "categorical"` in `data.columns`, so that the other options of
/// a column can stand beside it.
fn spell_out_kinds(table: &mut toml::Table) {
    let columns = table.get_mut("data").and_then(|data| data.get_mut("columns"));
    let Some(toml::Value::Table(columns)) = columns else { return };
    for (_, column) in columns.iter_mut().filter(|(_, column)| column.is_str()) {
        let mut options = toml::Table::new();
        options.insert("kind".to_string(), column.clone());
        *column = options.into();
    }
}

/// Sets `a.b.c` in nested tables.
fn insert(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [] => {}
        [name] => drop(table.insert(name.to_string(), value)),
        [first, rest @ ..] => {
            let inner = table.entry(first).or_insert_with(|| toml::Table::new().into());
            if !inner.is_table() {
                *inner = toml::Table::new().into();
            }
            insert(inner.as_table_mut().expect("it is a table now"), rest, value);
        }
    }
}

/// Lays `over` on `base`, table by table.
fn merge(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => merge(base, over),
            (_, value) => drop(base.insert(key, value)),
        }
    }
}

impl Config {
    /// Takes over the regions and vectors already read, where both name the same files.
    fn keep_what_was_read(&mut self, before: &Self) {
        use {GeneratorConfig::TokenContext, RepresentationConfig::Grid};
        if let (Grid(new), Grid(old)) = (&mut self.representation, &before.representation)
            && new.regions == old.regions
        {
            new.region_map = old.region_map.clone();
        }
        if let (TokenContext(new), TokenContext(old)) = (&mut self.generator, &before.generator)
            && new.vectors == old.vectors
        {
            new.word_vectors = old.word_vectors.clone();
        }
    }

    /// Returns the options with one changed, as by [`Overrides::set`].
    pub(crate) fn with(&self, name: &str, value: &str) -> Result<Self> {
        let mut one = Overrides::new();
        one.set(name, value);
        one.applied_to(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ColumnKind;
    use crate::representation::Monotone;

    #[test]
    fn a_column_may_have_dots_and_quotes_in_its_name() {
        for (name, column) in [
            ("data.columns.zip", "zip"),
            ("data.columns.\"alk.phos\"", "alk.phos"),
            ("data.columns.'alk.phos'", "alk.phos"),
            ("data.columns.alk.phos", "alk.phos"),
            ("data.columns.'a \"b\"'", "a \"b\""),
            ("data.columns.\"open", "\"open"),
        ] {
            let config = Config::new(Task::Tabular).with(name, "categorical").unwrap();
            let columns: Vec<_> = config.data.columns.into_iter().collect();
            assert_eq!(columns, [(column.to_string(), ColumnKind::Categorical.into())], "{name}");
        }
        let wrong = Config::new(Task::Tabular).with("data.columns.\"a.b\"", "colour").unwrap_err();
        assert!(wrong.to_string().contains("expected numeric, categorical or date"), "{wrong}");
    }

    #[test]
    fn an_option_of_a_file_is_named() {
        let file = "task = \"tabular\"\n[generator]\nunits = \"many\"\nkind = \"tabular_mlp\"\n";
        let wrong = Overrides::from_toml(file).unwrap().config().unwrap_err();
        let expected = "generator.units = \"many\": expected a whole number from 1 to 65,536";
        assert_eq!(wrong.to_string(), expected);
    }

    #[test]
    fn the_kind_and_the_direction_of_a_column_stand_side_by_side() {
        let up = Some(Monotone::Up);
        for (names, column) in [
            (["data.columns.a=numeric", "data.columns.a.monotone=up"], "a"),
            (["data.columns.a.monotone=up", "data.columns.a=numeric"], "a"),
            (["data.columns.\"a.b\".monotone=up", "data.columns.'a.b'=numeric"], "a.b"),
            (["data.columns.a.b.monotone=up", "data.columns.a.b=numeric"], "a.b"),
        ] {
            let mut options = Overrides::from_toml("task = \"tabular\"").unwrap();
            for name in names {
                let (name, value) = name.split_once('=').unwrap();
                options.set(name, value);
            }
            let both = options.config().unwrap();
            let found = both.data.columns[column];
            assert_eq!((found.kind, found.monotone), (Some(ColumnKind::Numeric), up), "{names:?}");
            // As a file, and from there.
            let file = Overrides::from_toml(&both.to_toml().unwrap()).unwrap();
            assert_eq!(file.config().unwrap(), both);
        }
        let file = "task = \"tabular\"\n[data.columns]\nzip = \"categorical\"\nage = { monotone = \"down\" }";
        let mut options = Overrides::from_toml(file).unwrap();
        options.set("data.columns.age", "numeric");
        let columns = options.config().unwrap().data.columns;
        assert_eq!(columns["zip"], ColumnKind::Categorical.into());
        assert_eq!(columns["age"].monotone, Some(Monotone::Down));
        assert_eq!(columns["age"].kind, Some(ColumnKind::Numeric));
        // A column may have that name itself.
        let config = Config::new(Task::Tabular).with("data.columns.\"x.monotone\"", "numeric");
        assert!(config.unwrap().data.columns.contains_key("x.monotone"));
        let wrong = Config::new(Task::Tabular).with("data.columns.a.monotone", "1").unwrap_err();
        assert_eq!(wrong.to_string(), "data.columns.a.monotone = 1: expected up or down");
    }
}
