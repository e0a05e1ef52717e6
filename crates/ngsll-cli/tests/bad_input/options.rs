//! Options and configuration files.

use crate::common::data::reviews;
use crate::common::{Desk, QUICK_TEXT};

/// Training on good data must be refused for its options.
#[track_caller]
fn refused(more: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.refused(
        &format!("train --task text --data reviews.tsv {QUICK_TEXT} --out model {more}"),
        parts,
    );
}

/// Training on good data must be refused for its configuration file.
#[track_caller]
fn refused_config(bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.write("options.toml", bytes);
    desk.refused("train --task text --data reviews.tsv --config options.toml --out model", parts);
}

#[test]
fn k_of_zero() {
    refused("--k 0", &["--k 0: K must be at least 1"]);
}

#[test]
fn k_above_the_number_of_features() {
    refused("--k 1000", &["--k 1000: K must be from 1 to ", "the number of features"]);
}

#[test]
fn evidence_that_does_not_go_with_the_preset() {
    let expected = ["--evidence chosen", "chosen features need the preset subsets"];
    refused("--evidence chosen --preset paper", &expected);
    refused("--evidence half", &["invalid value 'half' for '--evidence <EVIDENCE>'"]);
}

#[test]
fn shares_that_are_no_numbers() {
    refused(
        "--test-fraction many",
        &["'--test-fraction <SHARE>': expected a share such as 0.2 or 20%"],
    );
    refused("--test-fraction 150%", &["--test-fraction 1.5: "]);
}

#[test]
fn weights_of_promises_that_are_negative() {
    refused("--set training.slopes=-1.0", &["training.slopes", "a number of at least 0"]);
}

#[test]
fn a_learning_rate_that_is_not_positive() {
    refused(
        "--set training.learning_rate=0.0",
        &["training.learning_rate", "expected a number above 0"],
    );
}

#[test]
fn a_rule_of_tables_for_texts() {
    let more = r#"--set choice={rule="effect",side="both"}"#;
    refused(more, &["choice.rule", "this rule is for tables only"]);
}

/// Training on a good table must be refused for its options.
#[track_caller]
fn refused_table(target: &str, more: &str, parts: &[&str]) {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{},{},{}\n", i, i % 7, ["a", "b"][i % 2], i as i64 - 3);
    let rows: String = (0..60).map(row).collect();
    desk.write("table.csv", format!("size,count,side,change\n{rows}"));
    let train = "train --task tabular --data table.csv --out model --quiet";
    desk.refused(&format!("{train} --target {target} {more}"), parts);
}

#[test]
fn weights_of_rows_that_are_none() {
    let set = "--set data.weights=";
    refused_table("side", &format!("{set}mass"), &["data.weights", "no column of this name"]);
    refused_table(
        "count",
        &format!("{set}side"),
        &["data.weights", "expected a column of numbers"],
    );
    let parts = ["table.csv", "the weight is -3, expected a number of at least 0"];
    refused_table("side", &format!("{set}change"), &parts);
    refused("--set data.weights=text", &["data.weights", "only tables have a column of weights"]);
}

#[test]
fn logarithms_and_counts_of_what_has_none() {
    let (log, count) = ("--set training.log_target=true", "--set training.loss=poisson");
    let numbers = "--set objective=regression";
    refused_table("side", log, &["training.log_target", "the target is classes"]);
    refused_table("side", count, &["training.loss", "the target is classes"]);
    let positive =
        ["training.log_target", "expected positive numbers as the target, but one is -3"];
    refused_table("change", log, &positive);
    refused_table(
        "change",
        count,
        &["training.loss", "expected counts of at least 0 as the target, but one is -3"],
    );
    refused_table(
        "count",
        &format!("{numbers} {log} {count}"),
        &["training.log_target", "already"],
    );
    refused_table("size", "--set training.loss=cubic", &["training.loss", "squared"]);
    refused("--set training.weight_decay=-1.0", &["training.weight_decay", "at least 0"]);
}

#[test]
fn a_judge_without_its_model_or_its_data() {
    let desk = Desk::new();
    desk.refused("judge nothing --data reviews.tsv", &["nothing", "no such model folder"]);
    desk.text_model();
    desk.refused("judge model --data absent.tsv", &["absent.tsv"]);
}

#[test]
fn other_methods_beside_texts_and_images() {
    let sentence = "--compare: only tables can be compared with other methods";
    refused("--compare", &[sentence]);
    let desk = Desk::new();
    desk.refused("train --task image --data photos --compare --out model", &[sentence]);
}

#[test]
fn k_that_is_no_number() {
    refused("--k five", &["invalid value 'five' for '--k <K>'"]);
}

#[test]
fn no_task() {
    let parts = ["no task: expected --task text, --task image or --task tabular"];
    Desk::new().refused("train --data reviews.tsv --out model", &parts);
}

#[test]
fn no_data() {
    let parts = ["no data: expected a file or folder with --data"];
    Desk::new().refused("train --task text --out model", &parts);
}

#[test]
fn no_out() {
    let parts = ["required arguments were not provided: --out <MODEL>"];
    Desk::new().refused("train --task text --data reviews.tsv", &parts);
}

#[test]
fn an_unknown_value_of_an_option() {
    let parts = ["invalid value 'video' for '--task <TASK>'", "text, image, tabular"];
    Desk::new().refused("train --task video --data x --out model", &parts);
}

#[test]
fn an_unknown_preset() {
    refused("--preset fast", &["invalid value 'fast' for '--preset <PRESET>'", "annealed, paper"]);
}

#[test]
fn an_unknown_option() {
    refused("--sed 3", &["unexpected argument '--sed' found", "'--seed'"]);
}

#[test]
fn an_unknown_command() {
    Desk::new().refused("trian", &["unrecognized subcommand 'trian'", "'train'"]);
}

#[test]
fn a_seed_too_large() {
    refused("--seed 18446744073709551615", &["18446744073709551615", "--seed"]);
}

#[test]
fn a_validation_file_and_a_share() {
    let parts = ["'--valid <PATH>' cannot be used with '--valid-fraction <SHARE>'"];
    refused("--valid reviews.tsv --valid-fraction 0.2", &parts);
}

#[test]
fn shares_that_are_none() {
    for share in ["1.5", "-0.1", "NaN", "1"] {
        let message = format!("--valid-fraction {share}: expected a share from 0 to below 1");
        refused(&format!("--valid-fraction={share}"), &[&message]);
    }
}

#[test]
fn no_share_to_validate() {
    refused("--valid-fraction 0", &["--valid-fraction 0: training needs validation samples"]);
}

#[test]
fn shares_that_leave_nothing() {
    let parts = ["--valid-fraction 0.6 --test-fraction 0.4: expected a sum below 1"];
    refused("--valid-fraction 0.6 --test-fraction 0.4", &parts);
}

#[test]
fn labels_for_text() {
    let parts = ["--labels reviews.tsv: only IDX images have a separate file of labels"];
    refused("--labels reviews.tsv", &parts);
}

#[test]
fn an_unknown_key() {
    let parts = ["--set generator.unit=3: there is no such option; did you mean generator.units?"];
    refused("--set generator.unit=3", &parts);
}

#[test]
fn an_unknown_key_at_the_top() {
    refused(
        "--set units=3",
        &["--set units=3: there is no such option; did you mean generator.units?"],
    );
}

#[test]
fn set_without_a_value() {
    refused("--set generator.units", &["--set generator.units: expected KEY=VALUE"]);
}

#[test]
fn values_of_another_type() {
    refused(
        "--set training.epochs=many",
        &["--set training.epochs=many: expected a whole number of at least 1"],
    );
    refused("--set k=-3", &["--set k=-3: expected a whole number of at least 1"]);
    refused("--set training.noise=loud", &["--set training.noise=loud: expected shared or fresh"]);
}

#[test]
fn sizes_of_zero() {
    refused("--set training.epochs=0", &["--set training.epochs=0: ", "at least 1"]);
    refused("--set training.batch_size=0", &["--set training.batch_size=0: ", "from 1 to"]);
    refused("--set generator.filters=0", &["--set generator.filters=0: ", "from 1 to"]);
    refused("--set generator.widths=[]", &["--set generator.widths", "from 1 to"]);
}

#[test]
fn a_dropout_of_everything() {
    refused("--set generator.dropout=1", &["--set generator.dropout=1: ", "below 1"]);
}

#[test]
fn no_stage() {
    refused("--set training.stages=[]", &["--set 'training.stages=[]': ", "at least one stage"]);
}

#[test]
fn a_weight_for_a_class_that_is_not_there() {
    let parts = ["--set training.class_weights.good=2: ", "neg, pos"];
    refused("--quiet --set training.class_weights.good=2", &parts);
}

#[test]
fn an_unknown_network() {
    refused(
        "--set generator.kind=magic",
        &["generator.kind=magic: expected cell_context, image_cnn", "token_context"],
    );
}

#[test]
fn a_network_for_other_data() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let files = "--data reviews.tsv --out model";
    desk.refused(
        &format!("train --task text {files} --quiet --set generator.kind=tabular_mlp"),
        &["--set generator.kind=tabular_mlp: this network does not read"],
    );
}

#[test]
fn a_configuration_file_that_is_not_there() {
    let parts = ["nowhere.toml: cannot read: No such file or directory"];
    refused("--config nowhere.toml", &parts);
}

#[test]
fn a_configuration_file_that_is_no_toml() {
    refused_config("k = 3\nseed =\n", &["options.toml line 2: "]);
}

#[test]
fn a_configuration_file_that_is_no_text() {
    refused_config(b"k = 3 # caf\xe9\n", &["options.toml: cannot read", "UTF-8"]);
}

#[test]
fn a_configuration_file_with_an_unknown_key() {
    let parts = [
        "options.toml: generator.unit = ",
        "there is no such option; did you mean generator.units?",
    ];
    refused_config("k = 3\n[generator]\nunit = 3\n", &parts);
}

#[test]
fn a_configuration_file_with_an_unknown_task() {
    let desk = Desk::new();
    desk.write("options.toml", "task = \"video\"\n");
    let parts = ["--task video: ", "text, image or tabular"];
    desk.refused("train --config options.toml --data x --out model", &parts);
}

#[test]
fn rows_that_are_not_there() {
    let desk = Desk::new();
    desk.text_model();
    for rows in ["60", "0,60", "58-60"] {
        let parts = ["--rows 60: the data have rows 0 to 59"];
        desk.refused(
            &format!("explain model --data reviews.tsv --rows {rows} --out x.txt"),
            &parts,
        );
    }
}

#[test]
fn rows_that_are_none() {
    let desk = Desk::new();
    desk.text_model();
    for rows in ["a", "1,,2", "1-", "-1", "99999999999999999999"] {
        let message =
            format!("--rows {rows}: expected row numbers from 0 and ranges, such as 0,5,7-9");
        desk.refused(&format!("explain model --data reviews.tsv --rows={rows}"), &[&message]);
    }
    let message = "--rows 3-1: expected a range that goes upwards, such as 7-9";
    desk.refused("explain model --data reviews.tsv --rows 0,3-1", &[message]);
}

#[test]
fn k_other_than_the_model_can() {
    let desk = Desk::new();
    desk.text_model();
    for command in ["predict", "explain", "evaluate"] {
        for k in [0, 16] {
            let message = format!("--k {k}: K must be from 1 to 15, the number of features");
            desk.refused(&format!("{command} model --data reviews.tsv --k {k}"), &[&message]);
        }
    }
    let train = "train --task text --data reviews.tsv --k 2 --preset annealed --out whole";
    desk.ok(&format!("{train} {QUICK_TEXT}"));
    for command in ["predict", "explain", "evaluate"] {
        for k in [0, 3] {
            let message = format!("--k {k}: K must be from 1 to 2, the K that this model");
            desk.refused(&format!("{command} whole --data reviews.tsv --k {k}"), &[&message]);
        }
    }
}

#[test]
fn an_unknown_format() {
    let desk = Desk::new();
    let parts = ["invalid value 'xml' for '--format <FORMAT>'", "table, json, csv, parquet, html"];
    desk.refused("explain model --data reviews.tsv --format xml", &parts);
}

#[test]
fn an_unknown_data_set() {
    Desk::new().refused("data get imdb", &["imdb", "mnist, mpqa, subj, trec"]);
}

#[test]
fn data_from_a_folder_that_does_not_hold_them() {
    let desk = Desk::new();
    desk.write("mine/readme.txt", "nothing");
    let parts = ["--from mine: neither train.tsv nor train_5500.label found"];
    desk.refused("data get trec --from mine --dir data", &parts);
}

#[test]
fn data_from_a_folder_with_other_content() {
    let desk = Desk::new();
    desk.write("mine/train_5500.label", "DESC:manner How is this ?\n");
    let parts = ["--from mine: mine/train_5500.label has SHA-256 ", ", expected "];
    desk.refused("data get trec --from mine --dir data", &parts);
}

#[test]
fn data_from_nowhere() {
    let parts = ["--from nowhere: neither a folder that exists nor a URL"];
    Desk::new().refused("data get trec --from nowhere", &parts);
}

#[test]
fn no_threads() {
    refused("--threads 0", &["invalid value '0' for '--threads <N>'", "1..=1024"]);
}
