import type { plainRedis } from '@mandate/testing';
import { redisInfo } from './redis-info.ts';

/**
 * Returns the CPU time of the server so far, in microseconds: the thread that runs the commands, and the threads that
 * write and free.
 */
export async function redisCpuMicros(redis: ReturnType<typeof plainRedis>): Promise<number> {
  const seconds = await redisInfo(redis, 'cpu');
  return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1_000_000;
}
