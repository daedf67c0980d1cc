/** Ordinary texts that agents send to tools. None of them contains a path into a system folder. */
import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { noSystemPaths } from './no-system-paths.ts';

const judge = noSystemPaths.create(undefined);

test.each<[tool: string, text: string]>([
  [
    'mail',
    'Hi Ann,\n\nthe offer is valid until 31/12/2026 and/or while stocks last (see 3/4 of page 2).\n\nBest,\nBob',
  ],
  ['mail', 'Please call +49 30 123/456 between 9:00 and 17:00, Mon./Tue. only. The rate is 4 1/2 %.'],
  [
    'mail',
    'Invoice 2026/0042: 100% of the work is done, w/o travel. Terms: n/a. Contact: ann@example.com / bob@example.com',
  ],
  ['chat', '/dev-team: the /roots of the problem are in a/b tests... see #general'],
  ['chat', 'lol :/ that was 10/10, he/she said "yes/no/maybe" \\o/'],
  [
    'ticket',
    'Steps to reproduce:\n1. Open https://app.example.com/etc/settings?tab=users#/dev\n2. Click Save\n\nExpected: 200 OK\nActual: 500',
  ],
  [
    'ticket',
    'Since v1.2..v1.3 the build is slower (12 s -> 15 s/build). Tested on Linux/x64, macOS/arm64 and Windows 11.',
  ],
  [
    'markdown',
    '# Title\n\n- [docs](https://example.com/proc/guide)\n- ![logo](images/logo@2x.png)\n\n| a/b | c |\n| --- | --- |\n| 1/2 | n/a |',
  ],
  ['html', '<html><head><title>a/b</title></head><body><div class="root"><root/></div></body></html>'],
  ['html', '<config><root>x</root><sys>y</sys><etc>z</etc></config>'],
  [
    'xml',
    '<?xml version="1.0"?><env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body/></env:Envelope>',
  ],
  ['json', '{"url":"https:\\/\\/api.example.com\\/v1\\/users","ratio":"16/9","regex":"^\\\\d+/\\\\d+$"}'],
  ['json', '{"a": {"b": ["1/2", "c/d"]}, "date": "2026-01-31T10:00:00Z", "path": "reports/2026/q1.csv"}'],
  ['yaml', 'image: ghcr.io/example/app:1.2\nports:\n  - "8080:80"\nenv:\n  URL: https://example.com/a/b\n'],
  ['sql', "SELECT a / b AS ratio, date(c) FROM orders WHERE url LIKE '%/dev/%' -- a/b"],
  ['sql', "select name || '/' || city from customers where tag in ('and/or', 'w/o')"],
  [
    'code',
    "import { x } from '~/components/x';\nimport y from './y';\nexport default () => x / y; // see y/x",
  ],
  ['code', 'const half = total / 2; /* a / b */ const path = `\u0024{base}/users/\u0024{id}`;'],
  ['code', 'if (!/^[a-z]+\\/[a-z]+$/.test(name)) throw new Error("a/b expected");'],
  ['code', 'def f(a, b):\n    """Return a/b."""\n    return a // b\n'],
  ['code', 'package main\n\nimport (\n\t"net/http"\n\t"github.com/x/y/v2/dev"\n)\n'],
  ['code', '#include <sys/types.h>\n#include "etc/config.h"\nint main(void) { return 0; }'],
  ['code', 'process.env.HOME ?? import.meta.env.BASE_URL'],
  ['shell', 'npm run build 2>/dev/null && echo ok || echo failed >&2'],
  ['shell', 'find . -name "*.log" -mtime +7 -print 2> /dev/null | head -20'],
  ['shell', 'curl -s -o /dev/null -w "%{http_code}" https://example.com/health'],
  ['shell', 'cat < /dev/null > out.txt; tar -cf - src | gzip > /tmp/src.tgz'],
  ['shell', 'git log --oneline origin/dev..HEAD -- packages/policy/src | wc -l'],
  ['shell', 'git diff HEAD~3 HEAD -- docs/ && git checkout -b feature/root-cause'],
  ['shell', 'docker run --rm -v "$PWD:/app" node:24 node /app/main.js'],
  ['shell', 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'],
  ['shell', 'sed -i "s/dev/prod/g; s|http://|https://|" config/app.yaml'],
  ['shell', 'ls -la /home/ann/projects /srv/data /tmp /usr/share/doc /opt/app'],
  ['shell', 'for f in a/*.txt; do mv "$f" "b/$(basename "$f")"; done'],
  ['shell', 'rsync -a build/ deploy@web-1:/srv/www/'],
  ['search', 'what is the root cause of etc/hosts errors'],
  ['search', 'site:example.com "and/or" filetype:pdf 2025..2026'],
  ['url', 'https://user@example.com:8443/dev/a?b=c/d&e=f#g/h'],
  ['url', 's3://bucket/root/2026/01/x.parquet'],
  ['url', 'postgres://app@db.example.com:5432/dev'],
  ['url', 'git+ssh://git@github.com/x/dev.git'],
  ['path', 'reports/2026/01/summary.csv'],
  ['path', './src/../src/main.ts'],
  ['path', 'C:\\Users\\ann\\Documents\\report (final).docx'],
  ['path', '/home/ann/.config/nvim/init.lua'],
  ['path', '~/notes/todo.md'],
  ['math', '\\frac{a}{b} + \\sqrt{x} \\\\ y = 1/2'],
  ['math', '(3 + 4) / 7 * 1e-3'],
  ['regex', '^(?:dev|prod)/[a-z0-9-]+$'],
  ['cron', '*/5 * * * 1-5'],
  ['media', 'text/html; charset=utf-8, application/json;q=0.9, */*;q=0.1'],
  ['zone', 'Europe/Berlin'],
  ['names', 'Müller & Söhne GmbH / Niederlassung Süd'],
  ['names', '日本語/テキスト、そして「引用」'],
  ['base64', 'aGVsbG8/d29ybGQ+Zm9v/etcAAA=='],
  ['diff', '--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1,2 +1,2 @@\n-const a = 1 / 2;\n+const a = 1 / 3;\n'],
])('%s: %j passes', (_tool, text) => {
  expect(judge({ text }, stepBudgetOfAction())).toBeNull();
});
