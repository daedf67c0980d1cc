import type { plainRedis } from '@mandate/testing';

/** The numbers in a section of `INFO`, by name; NaN for a name that the section lacks. */
export async function redisInfo(
  redis: ReturnType<typeof plainRedis>,
  section: string,
): Promise<(name: string) => number> {
  const text = await redis.info(section);
  return (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
}
