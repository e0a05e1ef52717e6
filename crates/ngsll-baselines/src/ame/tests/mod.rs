//! Small images and networks; the description of the method is the reference.

mod network;
mod square;
mod training;

use super::network::{MixtureNetwork, NetworkOutput, NetworkShape};
use super::patches::Patches;
use super::square::SquareLayer;
use super::*;
use burn::module::Param;
use burn::tensor::TensorData;
use ngsll::dataset::ImageSize;
use ngsll::generator::layers::Init;
use ngsll::random::{Purpose, stream};
use rand::RngExt;

fn size(height: usize, width: usize, channels: usize) -> ImageSize {
    ImageSize { width, height, channels }
}

/// Random images.
fn images(n: usize, size: ImageSize, seed: u64) -> Images {
    Images::new(size, noise(n * size.bytes(), seed)).unwrap()
}

fn noise(n: usize, seed: u64) -> Vec<u8> {
    let mut rng = stream(seed, Purpose::Sample, 0, 0);
    (0..n).map(|_| rng.random()).collect()
}

/// A network with its square layer and the patches it reads.
struct Made {
    patches: Patches,
    network: MixtureNetwork,
    square: SquareLayer,
    device: Device,
}

impl Made {
    /// For these images. The scale is large enough for attention that is not even; the logits' norm
    /// is at most 2, so that 1e-7 is little against the sum of their exponentials.
    fn new(images: &Images, filters: [usize; 2], classes: usize, seed: u64) -> Self {
        let patches = Patches::of(images).unwrap();
        let (experts, channels) = (patches.experts(), patches.channels());
        let shape = NetworkShape { experts, channels, filters, classes };
        let device = Device::default().autodiff();
        let mut rng = stream(seed, Purpose::Initialize, 0, 0);
        let mut network = MixtureNetwork::new(shape, &mut Init::new(&mut rng, &device));
        let scale = 2.0 / (shape.joined() as f64).sqrt();
        network.scale = Param::from_tensor(Tensor::full([experts], scale, &device));
        let inner = device.clone().inner();
        let square = SquareLayer::new(shape.joined(), &mut Init::new(&mut rng, &inner));
        Self { patches, network, square, device }
    }

    fn forward(&self, images: &Images, mut dropout: Dropout) -> NetworkOutput {
        let rows: Vec<usize> = (0..images.len()).collect();
        let x = self.patches.batch(images, &rows, &self.device);
        self.network.forward(x, &mut dropout, |c| self.square.traced(c).0)
    }
}

fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    tensor.clone().into_data().iter::<f32>().collect()
}

fn random<const D: usize>(shape: [usize; D], seed: u64, device: &Device) -> Tensor<D> {
    let mut rng = stream(seed, Purpose::Sample, 1, 0);
    let values = (0..shape.iter().product()).map(|_| rng.random_range(-1.0..1.0_f32)).collect();
    Tensor::from_data(TensorData::new::<f32, _>(values, shape), device)
}
