/** The options that every command takes. `mandate --help` names them once. */
import { DEFAULT_URL } from '@mandate/client';
import { Command } from 'commander';
import { someText } from './input/option-values.ts';

/** The addresses of a plane. Each service may have its own address. */
export type Addresses = {
  url?: string | undefined;
  queryUrl?: string | undefined;
  alerterUrl?: string | undefined;
  controlUrl?: string | undefined;
  runnerUrl?: string | undefined;
};

export type GlobalOptions = Addresses & { key?: string; profile?: string; json?: true };

export const ADDRESS_VARIABLES = {
  url: 'MANDATE_URL',
  queryUrl: 'MANDATE_QUERY_URL',
  alerterUrl: 'MANDATE_ALERTER_URL',
  controlUrl: 'MANDATE_CONTROL_URL',
  runnerUrl: 'MANDATE_RUNNER_URL',
} as const;

export function withGlobals(program: Command): Command {
  return program
    .optionsGroup('Global options, for every command:')
    .option('--json', 'print JSON: one document, or one a line')
    .option('--profile <name>', 'the login to use (default MANDATE_PROFILE or `default`)', someText)
    .option('--url <url>', `the address of the plane (default MANDATE_URL or ${DEFAULT_URL})`)
    .option('--query-url <url>', 'the address of its query service, if that runs alone')
    .option('--alerter-url <url>', 'the address of its alerter, if that runs alone')
    .option('--control-url <url>', 'the address of its control service, if that runs alone')
    .option('--runner-url <url>', 'the address of its runner, if that runs alone')
    .option('--key <key>', 'the API key; other users can see it in the process list')
    .optionsGroup('');
}

/** The global options that name a plane, or a key for it. */
export const PLANE_OPTIONS: readonly string[] = withGlobals(new Command()).options.flatMap(({ long }) =>
  long && long !== '--json' ? [long] : [],
);
