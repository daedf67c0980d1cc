/**
 * Signs people in at an identity provider, by OpenID Connect: an authorization code with PKCE, state and nonce. The
 * library openid-client checks the answers and the ID token, with its signature.
 */
import { outsideRequests } from '@mandate/runtime';
import type { Configuration } from 'openid-client';
import { boundedFetch, ProviderAway } from './bounded-fetch.ts';
import type { Claims } from './first-rule.ts';
import type { OidcDocument } from './oidc-document.ts';

/** What the server keeps while the person is at the provider. Nobody else knows these values. */
export type Secrets = { state: string; nonce: string; verifier: string };

/** A person, as the identity provider names them. */
export type Person = { issuer: string; sub: string };

export type Proof = {
  person: Person;
  claims: Claims;
  /** When the person proved to the provider who they are. Null if the provider does not say. */
  provenMs: number | null;
};

/** The provider's metadata is read again after this time. */
const METADATA_LASTS_MS = 3_600_000;
/** After a failure, the metadata is not read again for this time. */
const FAILURE_LASTS_MS = 2_000;

type Read = { config: Promise<Configuration>; untilMs: number };

export class IdentityProvider {
  readonly document: OidcDocument;
  readonly #clock: () => number;
  #read: Read | null = null;

  constructor(document: OidcDocument, clock: () => number) {
    this.document = document;
    this.#clock = clock;
  }

  /**
   * Returns the address at which the person signs in, and the secrets that belong to it.
   *
   * @param again whether the provider must ask the person to prove again who they are
   * @throws ProviderAway
   */
  async begin(redirectUri: string, again: boolean): Promise<{ url: string; secrets: Secrets }> {
    const client = await import('openid-client');
    const config = await this.#configuration();
    const secrets = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: [...new Set(['openid', ...this.document.scopes])].join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      ...(again && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, secrets };
  }

  /**
   * Exchanges the code for an ID token, and checks both.
   *
   * @param callback the address to which the provider sent the browser, with its query
   * @throws ProviderAway, or the error of openid-client that says what is wrong
   */
  async finish(callback: URL, { state, nonce, verifier }: Secrets): Promise<Proof> {
    const client = await import('openid-client');
    const config = await this.#configuration();
    const tokens = await withoutWrapping(
      client.authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }),
    );
    const ofToken = tokens.claims();
    if (ofToken === undefined) throw new TypeError('the provider sent no ID token');
    const { iss: issuer, sub, auth_time: authTime } = ofToken;
    const more = this.document.userinfo
      ? await withoutWrapping(client.fetchUserInfo(config, tokens.access_token, sub))
      : {};
    const provenMs = typeof authTime === 'number' ? Math.min(authTime * 1_000, this.#clock()) : null;
    // The claims of the ID token are signed, so they count before the others.
    return { person: { issuer, sub }, claims: { ...more, ...ofToken }, provenMs };
  }

  #configuration(): Promise<Configuration> {
    const nowMs = this.#clock();
    if (this.#read !== null && nowMs < this.#read.untilMs) return this.#read.config;
    // Other sign-ins wait for it too, and it goes on if this one is given up.
    const config = outsideRequests(() => this.#discover());
    const read = { config, untilMs: nowMs + METADATA_LASTS_MS };
    this.#read = read;
    config.catch(() => {
      read.untilMs = this.#clock() + FAILURE_LASTS_MS;
    });
    return config;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret, clientAuth, timeoutMs } = this.document;
    const discover = (auth?: ReturnType<typeof client.None>) =>
      client.discovery(new URL(issuer), clientId, undefined, auth, {
        // The address is checked by boundedFetch, which lets http only reach this machine.
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
        [client.customFetch]: boundedFetch(timeoutMs),
      });
    try {
      const found = await discover();
      const metadata = found.serverMetadata();
      if (clientSecret === null) return configured(metadata, client.None());
      const accepted = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method =
        clientAuth ??
        (accepted.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post');
      const auth = method === 'client_secret_basic' ? client.ClientSecretBasic : client.ClientSecretPost;
      return configured(metadata, auth(clientSecret));
    } catch (cause) {
      if (cause instanceof ProviderAway) throw cause;
      throw new ProviderAway('the metadata of the provider cannot be used', { cause });
    }

    function configured(
      metadata: ReturnType<Configuration['serverMetadata']>,
      auth: ReturnType<typeof client.None>,
    ): Configuration {
      const config = new client.Configuration(metadata, clientId, undefined, auth);
      config[client.customFetch] = boundedFetch(timeoutMs);
      client.allowInsecureRequests(config);
      client.enableNonRepudiationChecks(config);
      return config;
    }
  }
}

/** The library wraps failures of a request into an error of its own. */
async function withoutWrapping<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof Error && error.cause instanceof ProviderAway ? error.cause : error;
  }
}
