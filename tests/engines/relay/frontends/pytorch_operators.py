"""Single PyTorch operators with their arguments, for comparing Relay with PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Function = Callable[[Any], Any]
#: TVM has nothing for these, and surgery neither: refused, with the operator's name.
REFUSED = frozenset(
    {"atan2", "bitwise", "cdist", "cumprod", "expm1", "fold", "interpolate_smooth", "median"}
    | {"lerp", "pad_circular", "scatter"}
)
#: These only of TorchScript: exported programs are written out in other operators.
WRITTEN_OUT = frozenset(
    {"affine_grid", "channel_shuffle", "cosine_similarity", "frac", "hardshrink"}
    | {"index_put", "nan_to_num", "norm", "pairwise", "pixel_unshuffle", "softshrink"}
    | {"take_along", "tensordot", "unfold"}
)


def cases(torch: Any) -> Mapping[str, Function]:
    """Return what is computed of x: float32(2,4,6,5), normally distributed."""
    f, nn = torch.nn.functional, torch.nn
    generator = torch.Generator().manual_seed(3)

    def weight(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator)

    kernel, back, depth = weight(6, 4, 3, 3), weight(4, 6, 3, 3), weight(4, 1, 3, 3)
    even = weight(6, 4, 2, 2)
    line, volume = weight(6, 4, 3), weight(6, 4, 2, 2, 2)
    matrix, bias, five = weight(7, 5), weight(7), weight(5)
    gain, shift, mean, variance = weight(4), weight(4), weight(4), weight(4).abs() + 0.5
    grid = weight(2, 3, 4, 2).clamp(-1.2, 1.2)
    index = torch.tensor([2, 0, 1])
    lstm = nn.LSTM(5, 4, 2, batch_first=True, bidirectional=True).eval()
    gru = nn.GRU(5, 4, batch_first=True).eval()
    heads = nn.MultiheadAttention(5, 1, batch_first=True).eval()
    encoder = nn.TransformerEncoderLayer(5, 1, 8, batch_first=True).eval()
    for module in (lstm, gru, heads, encoder):
        module.requires_grad_(False)  # for tracing to take its weights
    found: dict[str, Function] = {
        "conv2d": lambda x: f.conv2d(x, kernel, gain.repeat(2)[:6], 2, 1),
        "conv2d_dilated": lambda x: f.conv2d(x, kernel, None, 1, 2, 2),
        "conv2d_same": lambda x: f.conv2d(x, kernel, None, 1, "same"),
        "conv2d_same_even": lambda x: f.conv2d(x, even, None, 1, "same"),
        "conv2d_depthwise": lambda x: f.conv2d(x, depth, None, 1, 1, 1, 4),
        "conv_transpose": lambda x: f.conv_transpose2d(x, back, None, 2, 1, 1),
        "conv_transpose_grouped": lambda x: f.conv_transpose2d(x, back[:, :3], None, 2, 0, 0, 2),
        "conv_transpose_dilated": lambda x: f.conv_transpose2d(x, back, None, 1, 0, 0, 1, 2),
        "conv1d": lambda x: f.conv1d(x.flatten(2), line, None, 2, 1),
        "conv3d": lambda x: f.conv3d(x.unsqueeze(2).repeat(1, 1, 3, 1, 1), volume),
        "linear": lambda x: f.linear(x, matrix, bias),
        "max_pool": lambda x: f.max_pool2d(x, 3, 2, 1),
        "max_pool_ceil": lambda x: f.max_pool2d(x, 3, 2, 0, 1, True),
        "max_pool_ceil_padded": lambda x: f.max_pool2d(x, 2, 3, 1, 1, True),
        "max_pool_dilated": lambda x: f.max_pool2d(x, 2, 1, 0, 2),
        "avg_pool": lambda x: f.avg_pool2d(x, 3, 2, 1),
        "avg_pool_inner": lambda x: f.avg_pool2d(x, 3, 2, 1, False, False),
        "avg_pool_ceil": lambda x: f.avg_pool2d(x, 3, 2, 1, True),
        "avg_pool_ceil_inner": lambda x: f.avg_pool2d(x, 3, 2, 1, True, False),
        "avg_pool_divisor": lambda x: f.avg_pool2d(x, 2, divisor_override=3),
        "adaptive_avg": lambda x: f.adaptive_avg_pool2d(x, (3, 2)),
        "adaptive_max": lambda x: f.adaptive_max_pool2d(x, (4, 3)),
        "lp_pool": lambda x: f.lp_pool2d(x.abs(), 2, 2),
        "batch_norm": lambda x: f.batch_norm(x, mean, variance, gain, shift, False, 0.1, 1e-2),
        "instance_norm": lambda x: f.instance_norm(x, None, None, gain, shift),
        "group_norm": lambda x: f.group_norm(x, 2, gain, shift),
        "layer_norm": lambda x: f.layer_norm(x, (6, 5), None, None, 1e-2),
        "rms_norm": lambda x: f.rms_norm(x, (5,), five, 1e-3),
        "local_response_norm": lambda x: f.local_response_norm(x, 3, 0.5, 0.7, 2.0),
        "normalize": lambda x: f.normalize(x, 2.0, 1),
        "embedding": lambda x: f.embedding(x.abs().long().clamp(0, 6), matrix),
        "pad_constant": lambda x: f.pad(x, (1, 2, 0, 3), value=1.5),
        "pad_negative": lambda x: f.pad(x, (-1, 2, 1, -1)),
        "pad_reflect": lambda x: f.pad(x, (1, 2, 2, 1), "reflect"),
        "pad_replicate": lambda x: f.pad(x, (1, 2, 2, 1), "replicate"),
        "pad_circular": lambda x: f.pad(x, (1, 2, 2, 1), "circular"),
        "pixel_shuffle": lambda x: f.pixel_shuffle(x, 2),
        "pixel_unshuffle": lambda x: f.pixel_unshuffle(x[:, :, :, :4], 2),
        "channel_shuffle": lambda x: f.channel_shuffle(x, 2),
        "grid_sample": lambda x: f.grid_sample(x, grid, align_corners=False),
        "grid_sample_border": lambda x: f.grid_sample(x, grid, "nearest", "border", True),
        "affine_grid": lambda x: f.affine_grid(x[:, :2, :3, 0], [2, 4, 3, 3], False),
        "unfold": lambda x: f.unfold(x, 2, 1, 1, 2),
        "fold": lambda x: f.fold(x.reshape(2, 12, 10)[:, :, :8], (3, 5), 2),
        "one_hot": lambda x: f.one_hot(x.abs().long().clamp(0, 3), 4),
        "attention": lambda x: f.scaled_dot_product_attention(x, x * 2, x + 1),
        "attention_causal": lambda x: f.scaled_dot_product_attention(x, x, x, is_causal=True),
        "softmax": lambda x: f.softmax(x, 1),
        "log_softmax": lambda x: f.log_softmax(x, -1),
        "softmin": lambda x: f.softmin(x, 2),
        "glu": lambda x: f.glu(x, 1),
        "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
        "prelu": lambda x: f.prelu(x, gain),
        "softplus": lambda x: f.softplus(x * 9, 2, 5),
        "elu": lambda x: f.elu(x, 0.7),
        "celu": lambda x: f.celu(x, 0.7),
        "leaky_relu": lambda x: f.leaky_relu(x, 0.3),
        "hardtanh": lambda x: f.hardtanh(x, -0.5, 0.7),
        "softshrink": lambda x: f.softshrink(x, 0.4),
        "hardshrink": lambda x: f.hardshrink(x, 0.4),
        "threshold": lambda x: f.threshold(x, 0.1, 20),
        "lstm": lambda x: lstm(x[:, 0]),
        "gru": lambda x: gru(x[:, 0]),
        "multihead": lambda x: heads(x[:, 0], x[:, 0], x[:, 0]),
        "encoder": lambda x: encoder(x[:, 0]),
        "matmul": lambda x: x @ x.transpose(2, 3),
        "matmul_broadcast": lambda x: x @ x[0, 0].T,
        "matvec": lambda x: x @ five,
        "bmm": lambda x: torch.bmm(x[:, 0], x[:, 1].transpose(1, 2)),
        "baddbmm": lambda x: torch.baddbmm(x[:, 0, :, :1], x[:, 0], x[:, 1].mT, beta=2, alpha=3),
        "addmm": lambda x: torch.addmm(bias, x[0, 0], matrix.T, beta=0.5, alpha=2.0),
        "einsum": lambda x: torch.einsum("nchw,ncvw->nhv", x, x),
        "tensordot": lambda x: torch.tensordot(x, matrix, dims=([3], [1])),
        "norm": lambda x: torch.linalg.norm(x, dim=1),
        "norm_one": lambda x: torch.linalg.vector_norm(x, 1, (1, 2)),
        "cumsum": lambda x: torch.cumsum(x, 2),
        "cumprod": lambda x: torch.cumprod(x, 2),
        "prod": lambda x: x.prod(1),
        "std": lambda x: x.std(1),
        "var_biased": lambda x: x.var((1, 2), unbiased=False, keepdim=True),
        "logsumexp": lambda x: torch.logsumexp(x, (1, 2)),
        "amax": lambda x: x.amax((1, 3)),
        "argmax": lambda x: x.argmax(1),
        "argmin_flat": lambda x: x.argmin(),
        "max_dim": lambda x: x.max(2),
        "median": lambda x: x.median(),
        "topk": lambda x: x.topk(3, 2),
        "topk_smallest": lambda x: x.topk(2, 1, largest=False),
        "sort": lambda x: x.sort(2, descending=True),
        "argsort": lambda x: x.argsort(1),
        "all": lambda x: (x > -3).all(1),
        "any": lambda x: (x > 2).any(),
        "where": lambda x: torch.where(x > 0, x, x * 2),
        "masked_fill": lambda x: x.masked_fill(x < 0, -5.0),
        "clamp": lambda x: x.clamp(max=0.3),
        "clamp_tensor": lambda x: x.clamp(min=five),
        "round": lambda x: (x * 2).round() / 2,
        "round_half": lambda x: ((x * 2).round() + 0.5).round(),
        "trunc": lambda x: (x * 3).trunc(),
        "frac": lambda x: (x * 3).frac(),
        "floor_divide": lambda x: torch.div(x, 0.3, rounding_mode="floor"),
        "divide_trunc": lambda x: torch.div(x, 0.3, rounding_mode="trunc"),
        "integer_divide": lambda x: (x * 9).int() // 4,
        "integer_truncate": lambda x: torch.div((x * 9).int(), 4, rounding_mode="trunc"),
        "integer_true_divide": lambda x: (x * 9).int() / 4,
        "remainder": lambda x: torch.remainder(x, 0.7),
        "fmod": lambda x: torch.fmod(x, 0.7),
        "integer_remainder": lambda x: torch.remainder((x * 9).int(), 4),
        "integer_fmod": lambda x: torch.fmod((x * 9).int(), 4),
        "power": lambda x: x.abs() ** 1.7,
        "power_of": lambda x: 2**x,
        "rsub": lambda x: 3 - x * 2,
        "add_alpha": lambda x: torch.add(x, x, alpha=2.5),
        "addcmul": lambda x: torch.addcmul(x, x, x, value=0.3),
        "addcdiv": lambda x: torch.addcdiv(x, x, x.abs() + 1, value=0.3),
        "lerp": lambda x: torch.lerp(x, x * 3, 0.2),
        "atan2": lambda x: torch.atan2(x, x.flip(3)),
        "erf": lambda x: torch.erf(x),
        "log1p": lambda x: torch.log1p(x.abs()),
        "expm1": lambda x: torch.expm1(x),
        "rsqrt": lambda x: torch.rsqrt(x.abs() + 0.1),
        "sign": lambda x: torch.sign(x.clamp(min=0)),
        "logical": lambda x: torch.logical_xor(x > 0, x > 1),
        "bitwise": lambda x: torch.bitwise_and((x * 9).int(), 6),
        "gather": lambda x: x.gather(3, (x * 9).long().abs() % 5),
        "index_select": lambda x: x.index_select(1, index),
        "index": lambda x: x[:, index, index],
        "index_mixed": lambda x: x[:, index, 1:, torch.tensor(2)],
        "take_along": lambda x: torch.take_along_dim(x, x.argsort(2), 2),
        "scatter": lambda x: x.scatter(1, (x[:, :1] * 9).long().abs() % 4, 7.0),
        "scatter_add": lambda x: x.scatter_add(2, (x * 9).long().abs() % 6, x),
        "index_put": lambda x: x.index_put((torch.tensor([0, 1]), index[:2]), x[:, 3]),
        "slice": lambda x: x[:, 1:, ::2, -3:-1],
        "select_negative": lambda x: x[..., -2],
        "narrow": lambda x: x.narrow(2, 1, 4),
        "split": lambda x: torch.split(x, [1, 4, 1], 2)[1],
        "chunk": lambda x: torch.chunk(x, 4, 2)[2],
        "unbind": lambda x: x.unbind(1)[2],
        "stack": lambda x: torch.stack([x, x * 2], -1),
        "cat": lambda x: torch.cat([x, x[:, :1]], 1),
        "flip": lambda x: x.flip((1, 3)),
        "roll": lambda x: x.roll((1, -2), (2, 3)),
        "repeat": lambda x: x.repeat(1, 2, 1, 3),
        "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
        "expand": lambda x: x[:, :1].expand(-1, 3, -1, -1),
        "permute": lambda x: x.permute(0, 2, 3, 1),
        "movedim": lambda x: torch.movedim(x, 1, -1),
        "squeeze": lambda x: x[:, :1].squeeze(1).unsqueeze(-1),
        "tril": lambda x: x.tril(1),
        "triu": lambda x: x.triu(-1),
        "meshgrid": lambda x: torch.meshgrid(x[0, 0, 0], x[0, 0, :, 0], indexing="ij")[1],
        "arange": lambda x: x + torch.arange(0, 5, 1, dtype=torch.float32),
        "linspace": lambda x: x * torch.linspace(-1, 1, 5),
        "full_like": lambda x: torch.full_like(x, 2.5) + x,
        "new_zeros": lambda x: x.new_zeros(2, 3) + x[:, 0, :3, 0],
        "to_half": lambda x: x.half().float(),
        "to_bytes": lambda x: x.abs().to(torch.uint8),
        "type_as": lambda x: (x > 0).type_as(x),
        "view_as": lambda x: x.view(2, 24, 5).view_as(x.flatten(1, 2)),
        "unflatten": lambda x: x.unflatten(2, (2, 3)),
        "nan_to_num": lambda x: torch.nan_to_num(x / x.clamp(min=0), 1.0, 2.0, 3.0),
        "isnan": lambda x: torch.isnan(x / x.clamp(min=0)),
        "cosine_similarity": lambda x: f.cosine_similarity(x, x.flip(1), 1),
        "pairwise": lambda x: f.pairwise_distance(x[:, 0], x[:, 1]),
        "cdist": lambda x: torch.cdist(x[:, 0], x[:, 1]),
        "dropout": lambda x: f.dropout(x, 0.5, False),
        "interpolate_area": lambda x: f.interpolate(x, size=(3, 2), mode="area"),
        "interpolate_line": lambda x: f.interpolate(x.flatten(2), size=41, mode="linear"),
        "interpolate_volume": lambda x: f.interpolate(x.unsqueeze(2), size=(3, 4, 9)),
        "interpolate_smooth": lambda x: f.interpolate(x, 3, mode="bilinear", antialias=True),
    }  # fmt: skip
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        for corners in (None, True) if mode.startswith("bi") else (None,):
            for name, amount in (
                ("up", {"scale_factor": 2}),
                ("down", {"size": (4, 3)}),
                ("scaled", {"scale_factor": (1.3, 0.7)}),
                ("rescaled", {"scale_factor": (1.3, 0.7), "recompute_scale_factor": True}),
            ):
                found[f"interpolate_{mode}_{corners}_{name}"] = (
                    lambda x, mode=mode, corners=corners, amount=amount: f.interpolate(
                        x, mode=mode, align_corners=corners, **amount
                    )
                )
    return found
