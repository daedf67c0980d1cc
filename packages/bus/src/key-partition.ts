/**
 * Returns the partition of a key, as Kafka's own producer does (`BuiltInPartitioner.partitionForKey`): murmur2 over
 * the key's UTF-8 bytes. So every log and every Java producer put an agent's records into the same partition.
 * Producers on librdkafka, such as kcat, use CRC-32 by default; set `partitioner=murmur2_random` there.
 */
export function keyPartition(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

const MULTIPLIER = 0x5bd1e995;
const SEED = 0x9747b28c;

/**
 * Computes MurmurHash2 (Austin Appleby, public domain), 32 bits, with the seed of Kafka's producers. The result is
 * signed, as in Java.
 */
export function murmur2(bytes: Buffer): number {
  const whole = bytes.length & ~3;
  let hash = SEED ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    hash = Math.imul(hash, MULTIPLIER) ^ scramble(bytes.readInt32LE(at));
  }
  const rest = bytes.length - whole;
  if (rest > 0) {
    hash = Math.imul(hash ^ bytes.readUIntLE(whole, rest), MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

function scramble(word: number): number {
  const product = Math.imul(word, MULTIPLIER);
  return Math.imul(product ^ (product >>> 24), MULTIPLIER);
}
