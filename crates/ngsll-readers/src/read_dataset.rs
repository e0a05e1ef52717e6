//! Constructors of [`Dataset`] for files.

use ngsll::dataset::Dataset;
use ngsll::error::Result;
use std::path::Path;

/// Constructors that read labelled samples from files.
///
/// Each reads everything with the settings that fit most files. For other columns of texts, kinds of table columns,
/// missing labels or files larger than memory, use the readers of this crate.
pub trait ReadDataset: Sized {
    /// Reads a table from a comma-separated file with a header, or from a tab-separated one named `.tsv`; each may be
    /// gzip-compressed. The column `target` is the label; every other column is numeric if all its cells are
    /// numbers, and categorical otherwise.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ngsll::Dataset;
    /// use ngsll_readers::ReadDataset;
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("iris.csv");
    /// std::fs::write(&file, "petal_length,colour,species\n1.4,blue,setosa\n4.7,violet,versicolor\n")?;
    ///
    /// let data = Dataset::from_csv(&file, "species")?;
    /// assert_eq!((data.len(), data.label(1)), (2, Some("versicolor")));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "delimited")]
    fn from_csv(path: impl AsRef<Path>, target: &str) -> Result<Self>;

    /// Reads a table from a Parquet file, whose types say which columns are numeric. The column `target` is the
    /// label.
    ///
    /// ```
    /// # use ngsll::Dataset;
    /// use ngsll_readers::ReadDataset;
    /// let missing = Dataset::from_parquet("no-such.parquet", "species").unwrap_err();
    /// assert!(missing.to_string().starts_with("no-such.parquet: cannot read: "));
    /// ```
    #[cfg(feature = "parquet")]
    fn from_parquet(path: impl AsRef<Path>, target: &str) -> Result<Self>;

    /// Reads texts from lines `label<TAB>text`, or from a `.csv` or tab-separated file whose header has the columns
    /// `label` and `text`; each may be gzip-compressed.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use ngsll::Dataset;
    /// use ngsll_readers::ReadDataset;
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("reviews.txt");
    /// std::fs::write(&file, "positive\ta fine film\nnegative\tdull\n")?;
    ///
    /// let data = Dataset::from_text_file(&file)?;
    /// assert_eq!((data.len(), data.label(0)), (2, Some("positive")));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "delimited")]
    fn from_text_file(path: impl AsRef<Path>) -> Result<Self>;

    /// Reads images and their labels from two IDX files, as MNIST has them; each may be gzip-compressed.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use ngsll::Dataset;
    /// use ngsll_readers::ReadDataset;
    /// let folder = tempfile::tempdir()?;
    /// let (images, labels) = (folder.path().join("images"), folder.path().join("labels"));
    /// // Two images of one pixel, with the labels 3 and 8.
    /// std::fs::write(&images, [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 255])?;
    /// std::fs::write(&labels, [0, 0, 8, 1, 0, 0, 0, 2, 3, 8])?;
    ///
    /// let data = Dataset::from_idx(&images, &labels)?;
    /// assert_eq!((data.len(), data.label(1)), (2, Some("8")));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "idx")]
    fn from_idx(images: impl AsRef<Path>, labels: impl AsRef<Path>) -> Result<Self>;

    /// Reads PNG, JPEG and WebP images from a folder with one sub-folder for each class.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use ngsll::Dataset;
    /// use ngsll_readers::ReadDataset;
    /// let folder = tempfile::tempdir()?;
    /// for (class, grey) in [("bright", 250), ("dark", 5)] {
    ///     std::fs::create_dir(folder.path().join(class))?;
    ///     let image = image::GrayImage::from_pixel(8, 8, [grey].into());
    ///     image.save(folder.path().join(class).join("1.png"))?;
    /// }
    ///
    /// let data = Dataset::from_image_folder(folder.path())?;
    /// assert_eq!((data.len(), data.label(1)), (2, Some("dark")));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "images")]
    fn from_image_folder(path: impl AsRef<Path>) -> Result<Self>;
}

impl ReadDataset for Dataset {
    #[cfg(feature = "delimited")]
    fn from_csv(path: impl AsRef<Path>, target: &str) -> Result<Self> {
        crate::table::read_csv(path.as_ref(), target)
    }

    #[cfg(feature = "parquet")]
    fn from_parquet(path: impl AsRef<Path>, target: &str) -> Result<Self> {
        crate::table::read_parquet(path.as_ref(), target)
    }

    #[cfg(feature = "delimited")]
    fn from_text_file(path: impl AsRef<Path>) -> Result<Self> {
        crate::read_all(&mut crate::TextReader::open(path, &Default::default())?)
    }

    #[cfg(feature = "idx")]
    fn from_idx(images: impl AsRef<Path>, labels: impl AsRef<Path>) -> Result<Self> {
        crate::read_all(&mut crate::IdxReader::open(images, Some(labels.as_ref()), None)?)
    }

    #[cfg(feature = "images")]
    fn from_image_folder(path: impl AsRef<Path>) -> Result<Self> {
        let labels = crate::LabelUse::Required;
        crate::read_all(&mut crate::ImageFolderReader::open(path, labels, None)?)
    }
}
