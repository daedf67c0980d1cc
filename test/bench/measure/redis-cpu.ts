import type { plainRedis } from '@mandate/testing';

/** What the server has used so far, in microseconds: the thread that runs the commands, and those that write and free. */
export async function redisCpuMicros(redis: ReturnType<typeof plainRedis>): Promise<number> {
  const told = await redis.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(told)?.[1]);
  return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1_000_000;
}
