import { Redis } from 'ioredis';

/** Runs FLUSHALL, as an operator might by mistake. @returns the server's time of the command, in milliseconds */
export async function emptyRedis(url: string): Promise<number> {
  const redis = new Redis(url);
  const replies = await redis.multi().flushall().time().exec();
  redis.disconnect();
  const [seconds, micros] = (replies?.[1]?.[1] ?? []) as [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
