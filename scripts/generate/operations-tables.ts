/**
 * The tables of docs/operations.md: the settings, from the schemas that read them, and the records that each route writes.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alerterSettings } from '@mandate/alerter';
import { consoleSettings } from '@mandate/console-service';
import { controlSettings } from '@mandate/control-service';
import { deciderSettings } from '@mandate/decider';
import { gatewaySettings } from '@mandate/gateway';
import { modelGatewaySettings } from '@mandate/model-gateway';
import { planeConfig } from '@mandate/plane';
import { querySettings } from '@mandate/query';
import { recorderSettings } from '@mandate/recorder';
import { runnerSettings } from '@mandate/runner';
import {
  type ConfigRow,
  clickhouseSettings,
  describeConfig,
  kafkaSettings,
  otlpSettings,
  redisSettings,
} from '@mandate/runtime/settings';
import { ROUTE_RECORDS, TOPICS } from '@mandate/schemas';
import type { GeneratedFile } from './generated-file.ts';

const PATH = 'docs/operations.md';
const PAGE = join(import.meta.dirname, '../..', PATH);

const SERVERS = [kafkaSettings, redisSettings, clickhouseSettings, otlpSettings].flatMap(describeConfig);
const PLANE = without(SERVERS, describeConfig(planeConfig));
const ALONE = without(
  PLANE,
  [
    gatewaySettings,
    deciderSettings,
    recorderSettings,
    querySettings,
    alerterSettings,
    controlSettings,
    runnerSettings,
    modelGatewaySettings,
    consoleSettings,
  ].flatMap(describeConfig),
);

const TABLES = {
  'settings plane': settingsTable(PLANE),
  'settings servers': settingsTable(SERVERS),
  'settings alone': settingsTable(ALONE),
  'routes that write': routesTable(),
};

/** The page docs/operations.md, with new tables between its marks. */
export const operationsTables: GeneratedFile = {
  path: PATH,
  make: () =>
    Object.entries(TABLES).reduce(
      (page, [name, text]) => replaced(page, name, text),
      readFileSync(PAGE, 'utf8'),
    ),
};

function without(others: readonly ConfigRow[], rows: readonly ConfigRow[]): ConfigRow[] {
  const names = new Set(others.map(({ name }) => name));
  return rows.filter(({ name }) => !names.has(name));
}

function replaced(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${PATH} has lost its marks ${begin} … ${end}`);
  return `${before}${begin}\n${text}${end}${after}`;
}

function settingsTable(rows: readonly ConfigRow[]): string {
  const lines = rows.map(({ name, type, default: otherwise, secret, description }) => {
    const facts = [type, secret ? 'secret' : '', otherwise === '' ? '' : `default ${otherwise}`];
    return `| \`${name}\` | ${description} | ${facts.filter((fact) => fact !== '').join('; ')} |\n`;
  });
  return `| setting | what it is | value |\n| --- | --- | --- |\n${lines.join('')}`;
}

function routesTable(): string {
  const lines = ROUTE_RECORDS.map(({ topics, quota, routes }) => {
    const written = topics.map((topic) => `\`${TOPICS[topic]}\``).join(', ') || 'none';
    return `| ${quota === null ? 'none' : `\`${quota}\``} | ${written} | ${routes.map((route) => `\`${route}\``).join(', ')} |\n`;
  });
  return `| quota | topics | routes |\n| --- | --- | --- |\n${lines.join('')}`;
}
