/** The options that every command shares which speaks to a running plane. */

import { type ApiClient, createApiClient, DEFAULT_URL } from '@mandate/client';
import type { Command } from 'commander';
import { failureOf, HOW_TO_AUTHENTICATE } from '../api-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';

export type ConnectionOptions = {
  url?: string;
  queryUrl?: string;
  alerterUrl?: string;
  controlUrl?: string;
  key?: string;
  json?: true;
};

export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', `address of the plane, or of its gateway (MANDATE_URL, else ${DEFAULT_URL})`)
    .option(
      '--query-url <url>',
      'address of its query service, where that runs alone (MANDATE_QUERY_URL, else the same)',
    )
    .option('--key <key>', 'API key; better in MANDATE_API_KEY, where no process list shows it')
    .option('--json', 'JSON instead of text: a document, or one a line');
}

/** The options of a command that speaks to the alerter, too. */
export function withAlerter(command: Command): Command {
  return command.option(
    '--alerter-url <url>',
    'address of its alerter, where that runs alone (MANDATE_ALERTER_URL, else that of the plane)',
  );
}

/** The options of a command that speaks to the control service, too. */
export function withControl(command: Command): Command {
  return command.option(
    '--control-url <url>',
    'address of its control service, where that runs alone (MANDATE_CONTROL_URL, else that of the plane)',
  );
}

export function connect(options: ConnectionOptions, { env, signal }: CommandContext): ApiClient {
  const queryUrl = options.queryUrl ?? (env.MANDATE_QUERY_URL || undefined);
  const alerterUrl = options.alerterUrl ?? (env.MANDATE_ALERTER_URL || undefined);
  const controlUrl = options.controlUrl ?? (env.MANDATE_CONTROL_URL || undefined);
  return createApiClient({
    url: addressOf(options.url ?? (env.MANDATE_URL || DEFAULT_URL)),
    queryUrl: queryUrl && addressOf(queryUrl),
    alerterUrl: alerterUrl && addressOf(alerterUrl),
    controlUrl: controlUrl && addressOf(controlUrl),
    key: keyOf(options.key ?? env.MANDATE_API_KEY ?? ''),
    signal,
    failure: failureOf,
  });
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href.replace(/\/$/, '');
  throw new CommandFailure(2, `${text} is not the address of a plane`, `Give it as ${DEFAULT_URL}.`);
}

function keyOf(text: string): string {
  const key = text.trim();
  if (key === '') throw new CommandFailure(2, 'an API key is needed', HOW_TO_AUTHENTICATE);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CommandFailure(
    2,
    'the API key holds characters that no key has',
    'Copy the whole key, from sk- on.',
  );
}
