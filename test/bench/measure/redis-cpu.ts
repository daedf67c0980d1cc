import type { plainRedis } from '@mandate/testing';
import { redisInfo } from './redis-info.ts';

/**
 * Returns the CPU time that the Redis server has used so far, in microseconds: by the thread that runs commands, and
 * by the threads that write and free memory.
 */
export async function redisCpuMicros(redis: ReturnType<typeof plainRedis>): Promise<number> {
  const seconds = await redisInfo(redis, 'cpu');
  return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1_000_000;
}
