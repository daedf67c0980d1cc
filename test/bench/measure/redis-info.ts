import type { plainRedis } from '@mandate/testing';

/** Returns the numbers in a section of `INFO`, by name. A name that the section lacks gives NaN. */
export async function redisInfo(
  redis: ReturnType<typeof plainRedis>,
  section: string,
): Promise<(name: string) => number> {
  const text = await redis.info(section);
  return (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
}
