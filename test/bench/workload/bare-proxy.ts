/** The rival of the model gateway: passes each request and each answer on, and does nothing else. */
import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startBareProxy(upstream: string): Promise<Disposable & { url: string }> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });
  const server = createServer((request, response) => {
    const { host: _host, ...headers } = request.headers;
    const { method } = request;
    const sent = send(
      `${upstream}${request.url}`,
      { agent, headers, ...(method && { method }) },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
