/** Starts a Redis, pauses it, prints its address, and waits to be killed. With `and-end` it ends by itself. */
import { startRedis } from '../redis/start-redis.ts';

const { port, folder, pause } = await startRedis();
pause();
console.log(JSON.stringify({ port, folder }));
if (process.argv[2] !== 'and-end') setInterval(() => {}, 60_000);
