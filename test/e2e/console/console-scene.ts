/** A plane with agents and policies, and a real browser that looks at its console. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { AuditClient } from '@mandate/audit';
import { createApiClient } from '@mandate/client';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { type ApiScope, type Decision, ROLES } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { chromiumOptions, waitUntil } from '@mandate/testing';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { expect } from 'vitest';

/** Agents without a policy may search and read, up to five dollars. Payments wait for a person. */
const MANDATE = `
version: 1
id: everyone
agents: ["*"]
allowedTools: [search, read_file, pay]
maxCostTotal: 5
defaultEstimate: 0.004
toolPolicies: { pay: { cost: 0.10, requiresConfirmation: true } }
`;

const SCOPES = {
  viewer: ROLES.viewer,
  operator: ROLES.operator,
  author: ROLES.author,
  admin: ROLES.admin,
  publisher: ['publish', 'report'],
} satisfies Record<string, readonly ApiScope[]>;
type Name = keyof typeof SCOPES;

/** The most calls in a request. */
const A_REQUEST = 500;

export type Scene = {
  url: string;
  /** The data folder of the plane. */
  data: string;
  /** The decisions that were made at the start. */
  ids: { blocked: string; deferred: string };
  key(name: Name): string;
  api(name: Name): ReturnType<typeof createApiClient>;
  revoke(name: Name): Promise<unknown>;
  /** Asks for a call, and returns its decision. */
  call(agentId: string, tool?: string, fields?: object): Promise<Decision>;
  /** Asks for calls, and waits until their decisions are in the audit. */
  callMany(agentId: string, count: number): Promise<void>;
  succeed(decision: Decision): Promise<void>;
  /** Waits until the audit has the decision. */
  recorded(decision: Decision): Promise<unknown>;
  /** Stops the plane, and opens it again at the same address. */
  restart(): Promise<void>;
  /** Opens a browser and signs in. */
  look(options?: Looking): ReturnType<typeof look>;
  /** Opens a browser that has not signed in. */
  lookUnsigned(options?: Looking): ReturnType<typeof look>;
  audit(): AuditClient;
  /** Waits until all that is on the log is decided and in the audit. */
  atRest(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** @param options.clock the clock of the plane. Default: the clock of the machine */
export async function openScene({ clock = Date.now }: { clock?: () => number } = {}): Promise<Scene> {
  const data = mkdtempSync(join(tmpdir(), 'mandate-console-'));
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATE);
  const store = fileKeyStore(dataFolder(data).keys);
  const issued = Object.fromEntries(
    Object.entries(SCOPES).map(([name, scopes]) => [
      name,
      issueApiKey({ tenant: 'default', name, scopes: [...scopes], agents: ['*'] }),
    ]),
  ) as Record<Name, ReturnType<typeof issueApiKey>>;
  for (const { record } of Object.values(issued)) await store.add(record);
  const settings = { PLANE_DATA_PATH: data, PLANE_MANDATES_PATH: mandates };
  const open = (port: number) =>
    openPlane(planeConfig.parse({ ...settings, PLANE_PORT: port }), silentLogger(), {}, clock);
  let plane = await open(0);
  const { url } = plane;
  const browser = await chromium.launch(await chromiumOptions());
  const api = (name: Name) => createApiClient({ url, key: issued[name].key });
  const scene = {
    url,
    data,
    key: (name: Name) => issued[name].key,
    api,
    revoke: (name: Name) => store.revoke(issued[name].record.id),
    async call(agentId: string, tool = 'search', fields: object = {}): Promise<Decision> {
      const body = { id: crypto.randomUUID(), agentId, type: 'tool_call', tool, args: {}, ...fields };
      const query = { waitMs: 20_000 };
      return (await api('publisher').post<{ decision: Decision }>('/v1/actions', body, { query })).decision;
    },
    async callMany(agentId: string, count: number): Promise<void> {
      const calls = Array.from({ length: count }, () => ({
        ...{ id: crypto.randomUUID(), agentId, type: 'tool_call', tool: 'search', args: {} },
      }));
      while (calls.length > 0) await api('publisher').post('/v1/actions', calls.splice(0, A_REQUEST));
      await plane.atRest();
    },
    async succeed({ agentId, actionId }: Decision): Promise<void> {
      await api('publisher').post('/v1/outcomes', { agentId, actionId, status: 'success' });
    },
    recorded: (decision: Decision) =>
      waitUntil('the decision is in the audit', () =>
        api('viewer')
          .get('/v1/audit/decisions', { actionId: decision.actionId })
          .then((found) => (found as { decisions: unknown[] }).decisions.length > 0),
      ),
    audit: () => plane.audit,
    atRest: () => plane.atRest(),
    async restart(): Promise<void> {
      await plane.stop();
      const port = Number(new URL(url).port);
      plane = await open(port);
    },
    look: (options: Looking = {}) => look(browser, url, issued[options.as ?? 'operator'].key, options),
    lookUnsigned: (options: Looking = {}) => look(browser, url, null, options),
    async [Symbol.asyncDispose](): Promise<void> {
      await browser.close();
      await plane.stop();
      rmSync(data, { recursive: true });
    },
  };
  return { ...scene, ids: await fill(scene) };
}

/** Registers an agent under a policy, and makes one decision of each verdict. */
async function fill({ api, call, recorded }: Pick<Scene, 'api' | 'call' | 'recorded'>) {
  const author = api('author');
  await author.post('/v1/agents', { id: 'worker', groups: ['staff'] });
  await author.post('/v1/policies', { version: 1, id: 'reads', allowedTools: ['search'], maxCostTotal: 5 });
  await author.post('/v1/rules', { version: 1, id: 'staff-reads', policy: 'reads', groups: ['staff'] });
  await call('worker');
  await call('nightly-reconciliation-of-invoices.team-europe');
  const blocked = await call('spender', 'delete_all');
  const deferred = await call('payer', 'pay', { args: { to: 'the bank', amount: 120 } });
  await recorded(blocked);
  await recorded(deferred);
  return { blocked: blocked.id, deferred: deferred.id };
}

export type Looking = { as?: Name; isPhone?: boolean; zone?: string };

/** A browser that has signed in if there is a key. Its `close` fails if a page broke its content security policy or threw an error. */
async function look(
  browser: Browser,
  url: string,
  key: string | null,
  { isPhone = false, zone = 'Europe/Berlin' }: Looking,
) {
  const context = await browser.newContext({
    baseURL: url,
    reducedMotion: 'reduce',
    timezoneId: zone,
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1280, height: 900 },
    isMobile: isPhone,
    hasTouch: isPhone,
  });
  const faults: string[] = [];
  const openStreams = new Set<Request>();
  let streams = 0;
  let mostStreams = 0;
  // The function runs in the browser, so it is a text here.
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) =>
      console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`,
  );
  const asked = new Set<string>();
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/v1/audit/live') {
      openStreams.add(request);
      streams += 1;
      mostStreams = Math.max(mostStreams, openStreams.size);
    }
    if (pathname.startsWith('/v1/')) asked.add(pathname);
  });
  context.on('requestfinished', (request) => openStreams.delete(request));
  context.on('requestfailed', (request) => openStreams.delete(request));
  context.on('console', (message) => {
    if (message.text().startsWith('CSP: ')) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  const page = await context.newPage();
  if (key !== null) await signIn(page, key);
  return {
    page,
    context,
    /** How many streams the browser has opened so far. */
    streams: () => streams,
    /** How many streams were open at the same time, at most. */
    mostStreams: () => mostStreams,
    /** The paths of the plane's routes that the browser has asked for. */
    asked,
    newPage: (path: string) => opened(context, path),
    async [Symbol.asyncDispose](): Promise<void> {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}

async function opened(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Now' }).waitFor();
}

/**
 * Returns what axe finds wrong by WCAG 2.2 AA and by good practice, a line for each kind.
 *
 * @param rules only these rules. Default: all
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // No page has a frame, so axe needs no second page to put results of frames together.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (rules === undefined) axe.withTags(WCAG);
  else axe.withRules([...rules]);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
