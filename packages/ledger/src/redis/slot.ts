/** Computes the cluster slot of a key by the Redis Cluster specification: CRC16 (XMODEM) of its hash tag. */
const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

export function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}
