/** Starts a Redis, pauses it, says where it is, and waits to be killed, or with `and-end` simply comes to its end. */
import { startRedis } from '../redis/start-redis.ts';

const { port, folder, pause } = await startRedis();
pause();
console.log(JSON.stringify({ port, folder }));
if (process.argv[2] !== 'and-end') setInterval(() => {}, 60_000);
