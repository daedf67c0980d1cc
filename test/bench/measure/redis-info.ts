import type { plainRedis } from '@mandate/testing';

/**
 * Returns a function that gives the number with a name in this section of `INFO`. If the section does not have the
 * name, the number is NaN.
 */
export async function redisInfo(
  redis: ReturnType<typeof plainRedis>,
  section: string,
): Promise<(name: string) => number> {
  const text = await redis.info(section);
  return (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
}
