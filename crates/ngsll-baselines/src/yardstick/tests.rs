use super::linear_model::LinearWeights;
use super::*;
use crate::sparse_rows::SparseRows;
use crate::weighted_least_squares::solve;
use ngsll::dataset::Column;
use proptest::prelude::*;

fn classes(n: usize) -> Objective {
    Objective::for_classes((0..n).map(|c| c.to_string())).unwrap()
}

fn number() -> Objective {
    Objective::for_values("y", 10.0, 5.0).unwrap()
}

/// Numbers from −1 to 1 that look random: the i-th of stream `s`.
fn noise(s: usize, i: usize) -> f64 {
    let mixed = (i * 2_654_435_761 + s * 40_503_001) % 1_000_003;
    (mixed * mixed % 1_000_003) as f64 / 500_001.5 - 1.0
}

/// Rows `range` of a table with two numbers, the second sometimes missing, a category whose level
/// "rare" begins after row 300, a column that is always missing and one that is always 7; with answers.
fn rows(range: std::ops::Range<usize>, answer: impl Fn(f64, f64, &str) -> f64) -> Dataset {
    let level = |i: usize| match i {
        301.. if i.is_multiple_of(50) => "rare",
        _ => ["x", "y", "z"][(noise(3, i) * 1.5 + 1.5) as usize],
    };
    let missing = |i: usize| noise(4, i) > 0.8;
    let table = Table::new([
        Column::numeric("a", range.clone().map(|i| noise(1, i))).unwrap(),
        Column::numeric(
            "b",
            range.clone().map(|i| if missing(i) { f64::NAN } else { noise(2, i) }),
        )
        .unwrap(),
        Column::categorical("c", range.clone().map(|i| Some(level(i)))),
        Column::numeric("empty", range.clone().map(|_| f64::NAN)).unwrap(),
        Column::numeric("same", range.clone().map(|_| 7.0)).unwrap(),
    ]);
    let b = |i: usize| if missing(i) { 5.0 } else { noise(2, i) };
    let answers = range.clone().map(|i| answer(noise(1, i), b(i), level(i)));
    Dataset::table(table.unwrap(), answers).unwrap()
}

fn methods(objective: &Objective, answer: fn(f64, f64, &str) -> f64) -> Vec<MethodFigures> {
    let [train, valid, measured] = [0..300, 300..400, 400..600].map(|part| rows(part, answer));
    yardstick_methods(objective, &train, &valid, &measured).unwrap()
}

#[test]
fn a_linear_rule_is_recovered_and_its_missing_values_too() {
    let found = methods(&number(), |a, b, level| {
        // A new level stands where no feature does: at the mean of the known ones, nearly.
        let effect = match level {
            "x" => 4.0,
            "y" => -4.0,
            _ => 0.0,
        };
        10.0 + 3.0 * a + 2.0 * b + effect
    });
    let [base, linear, trees] = &found[..] else { panic!("{found:?}") };
    assert_eq!(
        [&base.name, &linear.name, &trees.name],
        ["base rate", "ridge regression", "boosted trees"]
    );
    assert!(base.r2.unwrap().abs() < 0.05, "{base:?}");
    assert!(linear.r2.unwrap() > 0.999, "{linear:?}");
    assert!(trees.r2.unwrap() > 0.9, "{trees:?}");
}

#[test]
fn trees_find_what_a_linear_model_cannot() {
    let objective = classes(2);
    let found = methods(&objective, |a, b, _| f64::from(u8::from((a > 0.0) == (b > 0.0))));
    let [base, linear, trees] = &found[..] else { panic!("{found:?}") };
    assert_eq!(linear.name, "logistic regression");
    assert_eq!(base.auroc, Some(0.5));
    assert!(linear.accuracy.unwrap() < 0.7, "{linear:?}");
    assert!(trees.accuracy.unwrap() > 0.9 && trees.log_loss < base.log_loss, "{trees:?}");
}

#[test]
fn several_classes_with_one_that_is_not_there() {
    let objective = classes(4);
    let found = methods(&objective, |a, _, level| match (a > 0.3, level) {
        (true, _) => 0.0,
        (_, "x") => 1.0,
        _ => 2.0,
    });
    for method in &found[1..] {
        assert!(method.accuracy.unwrap() > 0.85, "{method:?}");
        assert!(method.log_loss < found[0].log_loss && method.auroc.is_none(), "{method:?}");
    }
}

#[test]
fn the_base_rate_is_the_share_or_the_mean_of_the_training_rows() {
    let column = |n: usize| Table::new([Column::numeric("a", (0..n).map(|i| i as f64)).unwrap()]);
    let data = |labels: &[i32]| Dataset::table(column(labels.len()).unwrap(), labels).unwrap();
    let scores = |objective: &Objective| {
        let (train, other) = (data(&[1, 0, 1, 1]), data(&[0]));
        let table = |data| LabelledTable::new(objective, data).unwrap();
        let (train, valid, measured) = (table(&train), table(&other), table(&other));
        base_rate::scores(&Split { objective, train, valid, measured }).unwrap()
    };
    let binary = scores(&classes(2));
    assert!((binary[0][0] - 3f64.ln()).abs() < 1e-12);
    let several = scores(&classes(3));
    let expected = [0.25f64, 0.75, 0.125].map(f64::ln);
    assert!(several[0].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{several:?}");
    assert!((scores(&number())[0][0] - 0.75).abs() < 1e-6);
}

#[test]
fn the_number_of_threads_changes_no_figure() {
    let objective = classes(3);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let class = |a: f64, b: f64, _: &str| f64::from(u8::from(a > 0.0) + u8::from(a * b > 0.2));
        let found = pool.install(|| methods(&objective, class));
        found.into_iter().map(|m| (m.name, m.accuracy, m.log_loss)).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn what_is_no_table_is_refused() {
    let objective = classes(2);
    let texts = Dataset::texts(["a film", "a book"], ["0", "1"]).unwrap();
    let refused = yardstick_methods(&objective, &texts, &texts, &texts).unwrap_err().to_string();
    assert_eq!(refused, "samples = text: expected a table");
    let (some, none) =
        (rows(0..10, |a, _, _| f64::from(u8::from(a > 0.0))), rows(0..0, |_, _, _| 0.0));
    let refused = yardstick_methods(&objective, &some, &none, &some).unwrap_err().to_string();
    assert_eq!(refused, "rows = 0: at least one to learn from and to measure");
}

/// Rows of two features and a number.
fn problem() -> impl Strategy<Value = Vec<([f32; 2], f32)>> {
    prop::collection::vec((prop::array::uniform2(-2.0_f32..2.0), -3.0_f32..3.0), 4..40)
}

fn sparse(list: &[([f32; 2], f32)]) -> SparseRows {
    let z: Vec<f32> = list.iter().flat_map(|(z, _)| *z).collect();
    SparseRows::from_dense(&z, 2).unwrap()
}

/// z and the constant feature, as the references have them.
fn dense(z: [f32; 2]) -> [f64; 3] {
    [f64::from(z[0]), f64::from(z[1]), 1.0]
}

fn fitted(list: &[([f32; 2], f32)], targets: &Targets, outputs: usize, strength: f64) -> Vec<f64> {
    let mut model = LinearWeights::zero(outputs, 2);
    model.fit(&sparse(list), targets, strength);
    model.weights
}

fn positive(list: &[([f32; 2], f32)]) -> Vec<usize> {
    list.iter().map(|(_, y)| usize::from(*y > 0.0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// (ZᵀZ/n + λI) w = Zᵀy/n with the constant feature free of λ.
    #[test]
    fn ridge_solves_the_normal_equations(list in problem(), strength in 0.01_f64..2.0) {
        let n = list.len() as f64;
        let entry = |i: usize, j: usize| {
            let sum: f64 = list.iter().map(|(z, _)| dense(*z)[i] * dense(*z)[j]).sum();
            sum / n + if i == j && i < 2 { strength } else { 0.0 }
        };
        let right = (0..3).map(|i| list.iter().map(|(z, y)| dense(*z)[i] * f64::from(*y)).sum::<f64>() / n);
        let expected = solve(entry, right.collect()).unwrap();
        let targets = Targets::Values(list.iter().map(|(_, y)| *y).collect());
        for (found, expected) in fitted(&list, &targets, 1, strength).iter().zip(&expected) {
            prop_assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        }
    }

    /// Newton's method on the dense problem.
    #[test]
    fn logistic_regression_is_where_newtons_method_ends(list in problem(), strength in 0.05_f64..2.0) {
        let classes = positive(&list);
        // With one class only, the free intercept has no minimum.
        prop_assume!(classes.contains(&0) && classes.contains(&1));
        let n = list.len() as f64;
        let mut w = [0.0; 3];
        for _ in 0..50 {
            let p: Vec<f64> = list.iter().map(|(z, _)| {
                let score: f64 = dense(*z).iter().zip(&w).map(|(z, w)| z * w).sum();
                1.0 / (1.0 + (-score).exp())
            }).collect();
            let decay = |i: usize| if i < 2 { strength } else { 0.0 };
            let slope = |i: usize| {
                let sum: f64 = (0..list.len()).map(|r| (p[r] - classes[r] as f64) * dense(list[r].0)[i]).sum();
                sum / n + decay(i) * w[i]
            };
            let entry = |i: usize, j: usize| {
                let sum: f64 = (0..list.len()).map(|r| p[r] * (1.0 - p[r]) * dense(list[r].0)[i] * dense(list[r].0)[j]).sum();
                sum / n + if i == j { decay(i) } else { 0.0 }
            };
            let step = solve(entry, (0..3).map(slope).collect()).unwrap();
            w.iter_mut().zip(step).for_each(|(w, step)| *w -= step);
        }
        let found = fitted(&list, &Targets::Classes(classes.clone()), 1, strength);
        for (found, expected) in found.iter().zip(w) {
            prop_assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
        }
        // Two scores with twice the decay share the same weight between them, ±w/2.
        let two = fitted(&list, &Targets::Classes(classes), 2, 2.0 * strength);
        for (pair, expected) in two.chunks(2).zip(w) {
            prop_assert!((pair[1] - pair[0] - expected).abs() < 1e-3, "{pair:?} is not {expected}");
        }
    }
}
