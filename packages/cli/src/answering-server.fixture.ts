/** A server for tests of commands that need only one or two answers. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server that ends with the test. Returns the environment in which commands use it. */
export async function answeringServer(
  answer: RequestListener,
): Promise<{ MANDATE_URL: string; MANDATE_API_KEY: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { MANDATE_URL: `http://127.0.0.1:${port}`, MANDATE_API_KEY: 'sk-mdt_x' };
}
