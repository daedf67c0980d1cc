/**
 * A real identity provider (oidc-provider) on this machine. Anybody signs in by a name, without a password. The test
 * chooses the claims of each person, and how the provider fails.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Context, Provider } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

export type Claims = Readonly<Record<string, unknown>>;

/** How the provider fails at paths that begin with a text. */
export type ProviderFault =
  /** It never answers. */
  | { at: string; hangs: true }
  | { at: string; status: number }
  /** It answers, and sends more than a client should read. */
  | { at: string; bytes: number }
  /** It answers another text than its own. */
  | { at: string; replaces: (body: string) => string };

export type TestIdentityProvider = {
  issuer: string;
  client: { id: string; secret: string };
  /** A second client of the provider, with the same addresses. */
  otherClient: { id: string; secret: string };
  /** The claims of each person who may sign in, by name. Others are refused. */
  people: Map<string, Claims>;
  fault: ProviderFault | null;
  /** The paths that were asked, in order. */
  asked: string[];
  stop(): Promise<void>;
};

/** The provider warns of its own class at each start. */
class InMemory extends MemoryAdapter {}

/**
 * @param redirectUris the addresses to which the provider may send a browser back
 * @param options.host the host in the provider's own address. Another host is another site for a browser
 */
export async function startIdentityProvider(
  redirectUris: readonly string[],
  { host = '127.0.0.1' }: { host?: '127.0.0.1' | 'localhost' } = {},
): Promise<TestIdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const client = { id: 'mandate', secret: 'secret-of-mandate' };
  const otherClient = { id: 'another', secret: 'secret-of-another' };
  const people = new Map<string, Claims>();
  const provider = new Provider(issuer, configuration([client, otherClient], redirectUris, people));
  const answer = provider.callback();
  const started: TestIdentityProvider = {
    issuer,
    client,
    otherClient,
    people,
    fault: null,
    asked: [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', (request, response) => {
    const path = request.url ?? '/';
    started.asked.push(path.split('?', 1)[0] ?? '/');
    const { fault } = started;
    if (fault !== null && path.startsWith(fault.at)) {
      if ('hangs' in fault) return;
      if ('status' in fault) return void response.writeHead(fault.status).end();
      if ('bytes' in fault)
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`"${'a'.repeat(fault.bytes)}"`);
      replaceBody(response, fault.replaces);
    }
    const handled = path.startsWith('/interaction/')
      ? askWho(provider, request, response)
      : answer(request, response);
    handled.catch((error) => response.writeHead(500).end(String(error)));
  });
  return started;
}

function configuration(
  clients: readonly { id: string; secret: string }[],
  redirectUris: readonly string[],
  people: ReadonlyMap<string, Claims>,
): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: clients.map(({ id, secret }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code'],
      response_types: ['code'],
    })),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    adapter: InMemory,
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    cookies: { keys: ['the key of cookies of a test'] },
    scopes: ['openid', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => {
      const claims = people.get(sub);
      return claims && { accountId: sub, claims: () => ({ sub, ...claims }) };
    },
    // The provider gives the client every claim, and does not ask the person for consent.
    async loadExistingGrant(this: unknown, context: Context & { oidc: { provider: Provider } }) {
      const { client, session, provider } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email groups');
      await grant.save();
      return grant;
    },
  };
}

/** A page that asks for a name. A wrong name ends the sign-in. */
async function askWho(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      '<!doctype html><title>Provider</title><form method="post"><label>Name <input name="name" autofocus></label>' +
        '<button>Continue</button></form>',
    );
    return;
  }
  const name = new URLSearchParams(await text(request)).get('name') ?? '';
  await provider.interactionFinished(
    request,
    response,
    name === 'nobody'
      ? { error: 'access_denied', error_description: '<script>alert(1)</script>' }
      : { login: { accountId: name } },
  );
}

function replaceBody(response: ServerResponse, replaces: (body: string) => string): void {
  const end = response.end.bind(response);
  response.end = ((body?: unknown) => {
    const replaced = replaces(String(body ?? ''));
    response.removeHeader('content-length');
    return end(replaced);
  }) as typeof response.end;
}
