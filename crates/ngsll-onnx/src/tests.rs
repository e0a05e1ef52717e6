//! The structure of the files: the checks that a runtime makes. Whether the numbers are right is checked in a runtime:
//! `crates/ngsll-cli/tests/contract`.

use crate::export;
use crate::outputs::NAMES;
use crate::proto::{GraphProto, ModelProto};
use ngsll::config::{Config, Overrides, Task};
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::evidence::Choice;
use ngsll::evidence::choice::{Rule, Side};
use ngsll::{Dataset, Evidence, Model, Ngsll};
use prost::Message;
use std::collections::HashSet;

/// Small, and trained for a moment.
fn quick(task: Task, evidence: Evidence, sizes: &[(&str, &str)]) -> Ngsll<'static> {
    let mut options = Overrides::new();
    sizes.iter().for_each(|(name, size)| options.set(name, size));
    let config = options.applied_to(&Config::with_evidence(task, evidence)).unwrap();
    Ngsll::from_config(config).terms(2).epochs(1).units(4)
}

fn table(evidence: Evidence) -> Model {
    let size = (0..40).map(|i| if i % 7 == 0 { f64::NAN } else { f64::from(i % 11) });
    let colours = ["red", "blue", "green"];
    let columns = [
        Column::numeric("size", size).unwrap(),
        Column::numeric("scores", (0..40).map(|i| f64::from(i * i % 13))).unwrap(),
        Column::categorical("colour", (0..40).map(|i| Some(colours[i % 3]))),
    ];
    let labels = (0..40).map(|i| ["big", "small", "none"][i % 11 / 4]);
    let data = Dataset::table(Table::new(columns).unwrap(), labels).unwrap();
    quick(Task::Tabular, evidence, &[]).fit(&data).unwrap()
}

fn text(evidence: Evidence) -> Model {
    let line = |i: usize| format!("a {} film of {}", ["good", "bad"][i % 2], i % 5);
    let labels = (0..40).map(|i| ["pos", "neg"][i % 2]);
    let data = Dataset::texts((0..40).map(line), labels).unwrap();
    let sizes = [("generator.embedding", "4"), ("generator.filters", "4")];
    quick(Task::Text, evidence, &sizes).fit(&data).unwrap()
}

fn images(evidence: Evidence) -> Model {
    let size = ImageSize { width: 5, height: 6, channels: 3 };
    let pixel = |at: usize| if at % 90 / 45 == at / 90 % 2 { 200 } else { (at % 3) as u8 };
    let images = Images::new(size, (0..40 * size.bytes()).map(pixel).collect()).unwrap();
    let data = Dataset::images(images, (0..40).map(|i| i % 2)).unwrap();
    let sizes = [("generator.channels", "[3, 2]"), ("representation.cells", "[2, 3]")];
    quick(Task::Image, evidence, &sizes).fit(&data).unwrap()
}

/// Every value that is read was computed before, under a unique name, and every constant is read.
fn check(graph: &GraphProto, known: &HashSet<String>, read: &mut HashSet<String>) {
    let mut known = known.clone();
    let mut give = |name: &str| assert!(known.insert(name.to_string()), "{name} is given twice");
    let inputs = graph.input.iter().filter_map(|input| input.name.as_deref());
    inputs.for_each(&mut give);
    let constants = graph.initializer.iter().filter_map(|constant| constant.name.as_deref());
    constants.for_each(&mut give);
    for node in &graph.node {
        for name in node.input.iter().filter(|name| !name.is_empty()) {
            assert!(known.contains(name), "{name} is read before it is given");
            read.insert(name.clone());
        }
        let bodies = node.attribute.iter().filter_map(|attribute| attribute.g.as_ref());
        bodies.for_each(|body| check(body, &known, read));
        for name in &node.output {
            assert!(known.insert(name.clone()), "{name} is given twice");
        }
    }
    for output in &graph.output {
        assert!(known.contains(output.name.as_deref().unwrap()), "{output:?} is not given");
    }
}

fn exported(model: &Model, k: usize) -> (ModelProto, Vec<String>) {
    let file = export(model, Some(k), &[("promise", "kept".to_string())]).unwrap();
    assert_eq!(file.k, k);
    let proto = ModelProto::decode(&file.bytes[..]).unwrap();
    let graph = proto.graph.clone().unwrap();
    let mut read = HashSet::new();
    check(&graph, &HashSet::new(), &mut read);
    for constant in &graph.initializer {
        let name = constant.name.as_ref().unwrap();
        assert!(read.contains(name), "{name} is not read");
    }
    assert!(file.outputs.iter().all(|output| NAMES.contains(&output.as_str())));
    (proto, file.inputs)
}

#[test]
fn files_are_whole_and_say_what_they_are() {
    for evidence in [Evidence::Chosen, Evidence::Whole] {
        for (model, task) in
            [(table(evidence), "tabular"), (text(evidence), "text"), (images(evidence), "image")]
        {
            for k in [1, 2] {
                let (proto, inputs) = exported(&model, k);
                let metadata = |key: &str| {
                    let entry = proto.metadata_props.iter().find(|e| e.key.as_deref() == Some(key));
                    entry.and_then(|entry| entry.value.clone()).unwrap_or_default()
                };
                assert_eq!((metadata("task"), metadata("k")), (task.to_string(), k.to_string()));
                assert_eq!(metadata("promise"), "kept");
                let names: Vec<String> = serde_json::from_str(&metadata("features")).unwrap();
                assert_eq!(names.len(), model.representation().features());
                let looped = proto
                    .graph
                    .unwrap()
                    .node
                    .iter()
                    .any(|node| node.op_type.as_deref() == Some("Loop"));
                assert_eq!(looped, evidence == Evidence::Chosen);
                assert!(!inputs.is_empty());
            }
        }
    }
}

#[test]
fn an_input_never_has_the_name_of_an_output() {
    let (_, inputs) = exported(&table(Evidence::Whole), 1);
    assert_eq!(inputs, ["size", "scores (input)", "colour"]);
}

#[test]
fn another_rule_or_k_is_refused() {
    let model = images(Evidence::Chosen);
    let k = export(&model, Some(7), &[]).unwrap_err().to_string();
    assert_eq!(k, "k = 7: K must be from 1 to 6, the number of features");
    let model = model.with_choice(Choice::new(Rule::TwoPass, Side::Both));
    let rule = export(&model, None, &[]).unwrap_err().to_string();
    assert_eq!(
        rule,
        "choice.rule = two_pass: such a model is exported with the rule search or halving only"
    );
}
