/** Imports the package that it is given, and prints the URL of each module that Node loaded for it, one a line. */
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
await import(process.argv[2] ?? '');
process.stdout.write(loaded.join('\n'));
