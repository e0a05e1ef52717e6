//! `ngsll judge`

use crate::args::JudgeArgs;
use crate::judge;
use crate::output::eprint_line;
use crate::samples;
use crate::shell::quoted;
use crate::stdin::InputFile;
use crate::training::with_vectors;
use crate::warnings;
use anyhow::Result;
use ngsll::Model;
use ngsll_readers::{LabelUse, read_all};

pub fn run(args: &JudgeArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    let config = model.config();
    let input = InputFile::open(&args.data, args.reading.input_format, config.task, &config.data)?;
    // The same rows as in training: the seed and the shares are the model's.
    let read = |path, labels| -> Result<_> {
        let mut reader = samples::open(&model, path, labels, LabelUse::Required, None)?;
        let data = read_all(reader.as_mut())?;
        if !args.quiet {
            warnings::reading(reader.as_ref());
        }
        Ok(data)
    };
    let data = read(input.path(), args.reading.labels.as_deref())?;
    let valid = config.data.valid.as_deref().map(|path| read(path, None)).transpose()?;
    let mut config = config.clone();
    config.representation =
        config.representation.with_regions(model.representation().regions().cloned());
    let options = with_vectors(config.check()?, &data, valid.as_ref())?;
    let judge = judge::fit(&options, &data, valid.as_ref(), args.quiet)?;
    model.with_judge(judge).save_over(&args.model)?;
    if !args.quiet {
        let folder = args.model.display().to_string();
        let folder = quoted(&folder);
        eprint_line(format_args!(
            "judge written to {folder}\ntry: ngsll evaluate {folder} --data FILE, with samples that training has not seen"
        ));
    }
    Ok(())
}
