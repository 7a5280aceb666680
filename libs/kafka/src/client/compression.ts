// kafkajs reads gzip alone. A sender decides how its batches are compressed, and one that uses anything else would end
// the consumer of every reader, again and again: so all that Kafka knows can be read. Nothing is written with them.
import { CompressionTypes } from 'kafkajs';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { CompressionCodecs } from './kafkajs-values.js';
import { LARGEST, decompressLz4 } from './lz4.js';
import { decompressSnappy } from './snappy.js';

const unzstd = promisify(zstdDecompress);

/** For all clients of this process. Idempotent. */
export function readAllCompressions(): void {
  const codecs: Record<number, () => object> = CompressionCodecs;
  codecs[CompressionTypes.LZ4] = () => codec((bytes) => Promise.resolve(decompressLz4(bytes)));
  codecs[CompressionTypes.Snappy] = () => codec((bytes) => Promise.resolve(decompressSnappy(bytes)));
  codecs[CompressionTypes.ZSTD] = () => codec(async (bytes) => await unzstd(bytes, { maxOutputLength: LARGEST }));
}

function codec(decompress: (bytes: Buffer) => Promise<Buffer>): object {
  return { decompress, compress: () => Promise.reject(new Error('nothing is written with this compression')) };
}
