/**
 * A connection to one MCP server, opened at its first use and again after it was lost. It supports both eras of the
 * protocol: servers of 2026-07-28, which keep no session, and older servers.
 */
import type { Stream } from 'node:stream';
import type { Logger } from '@mandate/runtime';
import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { CommandServer, ServerSettings, UrlServer } from '../runner-document.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { failureOfCall, mayBeLost, resultOfError, ToolUnavailable } from './tool-errors.ts';

const NAME = { name: 'mandate-runner', version: '0.1.0' };
const MODERN = '2026-07-28';

/** The number of characters at the end of stderr that are kept. */
const MOST_SAID = 1_000;
const CONNECT_MS = 30_000;
const PROBE_MS = 5_000;
const LIST_MS = 30_000;
/** The maximum number of pages of a list of tools that are read. */
const MOST_PAGES = 64;
/** The largest message of a server over stdio, and the largest answer over HTTP. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The key in `_meta` of a call by which a server can recognize a repeated call. */
const IDEMPOTENCY_KEY = 'mandate/idempotencyKey';

type Listed = readonly Tool[];
type CallResult = Awaited<ReturnType<Client['callTool']>>;

export class ServerConnection {
  readonly #key: string;
  readonly #settings: ServerSettings;
  readonly #log: Logger;
  #client: Promise<Client> | null = null;
  /** The list of the server. Null: it is not known, or it has changed. */
  #listed: Promise<Listed> | null = null;
  #refreshing: Promise<Listed> | null = null;
  #isClosed = false;

  constructor(key: string, settings: ServerSettings, log: Logger) {
    this.#key = key;
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Returns the tools of the server. The list is read once, and again after the server has said that it changed.
   *
   * @throws ToolUnavailable TOOL_SERVER_UNAVAILABLE
   */
  async tools(): Promise<Listed> {
    this.#listed ??= this.#list();
    const listed = this.#listed;
    try {
      return await listed;
    } catch (cause) {
      if (this.#listed === listed) this.#listed = null;
      throw cause instanceof ToolUnavailable ? cause : this.#unavailable(cause);
    }
  }

  /** Reads the list again. Steps that begin at the same time share one list. */
  refreshedTools(): Promise<Listed> {
    this.#refreshing ??= (async () => {
      // All steps that begin in this turn of the event loop share the list.
      await Promise.resolve();
      this.#listed = null;
      return this.tools();
    })().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /**
   * Calls a tool. An error that the server itself answers is a result.
   *
   * @throws ToolUnavailable, ToolUncertain, or the reason of the signal
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
  ): Promise<CallResult> {
    const client = await this.#connected();
    const timeout = this.#settings.timeoutMs;
    const params = { name, arguments: { ...args }, _meta: { [IDEMPOTENCY_KEY]: idempotencyKey } };
    try {
      return await client.callTool(params, { signal, timeout, maxTotalTimeout: timeout });
    } catch (error) {
      signal.throwIfAborted();
      const answered = resultOfError(error);
      if (answered !== null) return answered;
      if (mayBeLost(error)) this.#drop(client);
      throw failureOfCall(this.#key, error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    await client?.close();
  }

  async #list(): Promise<Listed> {
    const client = await this.#connected();
    const options = { cacheMode: 'refresh', timeout: LIST_MS, maxTotalTimeout: LIST_MS } as const;
    try {
      return (await client.listTools(undefined, options)).tools;
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  /** @throws ToolUnavailable TOOL_SERVER_UNAVAILABLE */
  async #connected(): Promise<Client> {
    if (this.#isClosed) throw this.#unavailable(new Error('the runner stops'));
    this.#client ??= this.#connect();
    const connecting = this.#client;
    try {
      return await connecting;
    } catch (cause) {
      if (this.#client === connecting) this.#client = null;
      throw this.#unavailable(cause);
    }
  }

  async #connect(): Promise<Client> {
    const { protocol } = this.#settings;
    const mode = protocol === 'modern' ? { pin: MODERN } : protocol;
    const client = new Client(NAME, {
      listMaxPages: MOST_PAGES,
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      // In a run, no person can answer a question of a server.
      inputRequired: { autoFulfill: false },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#changed() },
      },
    });
    client.onclose = () => this.#forget(client);
    const settings = this.#settings;
    if ('url' in settings) {
      await client.connect(overHttp(settings), { timeout: CONNECT_MS });
      return client;
    }
    const transport = new StdioClientTransport(processOf(settings));
    const said = lastWords(transport.stderr);
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
    } catch (err) {
      // Output of a server may be secret, so it is not in the error, because the log of the run contains the error.
      const { command, args, cwd = process.cwd() } = settings;
      const facts = { err, server: this.#key, command: [command, ...args].join(' '), cwd, said: said() };
      this.#log.warn(facts, 'a server of tools cannot be started');
      throw err;
    }
    return client;
  }

  #changed(): void {
    this.#listed = null;
  }

  /** A client that failed is replaced, because its session may have ended. */
  #drop(client: Client): void {
    this.#forget(client);
    client.close().catch(() => {});
  }

  #forget(client: Client): void {
    const connected = this.#client;
    void connected?.then(
      (one) => {
        if (one !== client || this.#client !== connected) return;
        this.#client = null;
        this.#listed = null;
      },
      () => {},
    );
  }

  #unavailable(cause: unknown): ToolUnavailable {
    const said = cause instanceof Error ? cause.message : String(cause);
    const message = `The server "${this.#key}" cannot be used: ${said.slice(0, 500)}`;
    return new ToolUnavailable('TOOL_SERVER_UNAVAILABLE', message, { kind: 'transient', cause });
  }
}

/** The process gets the variables that every program needs, and those of its settings, but no secret of the runner. */
function processOf({ command, args, env, cwd, showErrors }: CommandServer) {
  return {
    ...{ command, args, maxBufferSize: MOST_BYTES },
    env: { ...getDefaultEnvironment(), ...env },
    stderr: showErrors ? ('inherit' as const) : ('pipe' as const),
    ...(cwd !== undefined && { cwd }),
  };
}

function overHttp({ url, headers }: UrlServer): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch(MOST_BYTES),
  });
}

/** Reads everything that a server writes to stderr, and returns a function that returns the last part of it. */
function lastWords(stderr: Stream | null): () => string {
  let said = '';
  stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-MOST_SAID);
  });
  return () => said.trim();
}
