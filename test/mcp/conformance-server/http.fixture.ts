/** The fixture as a program that serves HTTP and prints its URL. It ends when its stdin ends. */
import { once } from 'node:events';
import { serveFixtureOverHttp } from './serve-http.ts';

await using served = await serveFixtureOverHttp();
console.log(served.url);
await once(process.stdin.resume(), 'end');
