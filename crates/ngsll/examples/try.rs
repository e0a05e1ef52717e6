use ngsll::{config::*, data::*, fit::*, train::Event, metrics::Evaluation, objective};
use std::{ops::ControlFlow, path::Path, time::Instant};
fn main() -> ngsll::Result<()> {
    let a: Vec<String> = std::env::args().collect();
    let task = match a[1].as_str() { "text" => Task::Text, "image" => Task::Image, _ => Task::Tabular };
    let mut config = Config::new(task);
    for s in &a[4..] { let (k, v) = s.split_once('=').unwrap(); config = config.with(k, v)?; }
    let path = Path::new(&a[2]);
    let mut chunk = match task {
        Task::Text => read_all(&mut TextReader::open(path, &TextOptions::default())?)?,
        Task::Image => { let mut c = read_all(&mut IdxReader::open(path, labels_beside(path).as_deref(), None)?)?; objective::group(&mut c, &Groups::parse("0-4=low,5-9=high")?)?; c }
        Task::Tabular => { let cols = infer_columns(path, &a[3], &Default::default(), &[])?; read_all(&mut TableReader::open(path, &cols, Some(&a[3]), Labels::Required)?)? }
    };
    let tf = if task == Task::Image { 0.0 } else { 0.1 };
    let p = Prepared::new(config, &a[3], &chunk, Holdout { test_fraction: tf, ..Default::default() })?;
    eprintln!("d {} train {} valid {} test {}", p.representation.features(), p.train_rows.len(), p.valid_rows.len(), p.test_rows.len());
    let t = Instant::now();
    let f = p.fit(None, &mut |e| { if let Event::Epoch { record, stages } = e { eprintln!("{:6.1}s {:?} k{} tau{}", t.elapsed().as_secs_f64(), record, stages[record.stage].k, stages[record.stage].temperature); } ControlFlow::Continue(()) })?;
    if std::env::var("DNN").is_ok() { println!("dnn {}", p.black_box(&p.test_rows, &mut |_| ControlFlow::Continue(()))?); }
    let rows = p.test_rows.clone();
    if task == Task::Image {
        let tp = path.with_file_name("t10k-images-idx3-ubyte.gz");
        chunk = read_all(&mut IdxReader::open(&tp, labels_beside(&tp).as_deref(), None)?)?;
        objective::group(&mut chunk, &Groups::parse("0-4=low,5-9=high")?)?;
    }
    let ex = f.predictor.explain(&chunk.samples, None)?;
    let t = f.predictor.objective().targets(&chunk)?;
    let rows = if rows.is_empty() { (0..chunk.len()).collect() } else { rows };
    let sel: Vec<_> = rows.iter().map(|&r| ex[r].clone()).collect();
    let mut ev = Evaluation::new(f.predictor.objective());
    ev.add(&sel, &t.select(&rows));
    println!("{:?}", ev.finish());
    Ok(())
}
