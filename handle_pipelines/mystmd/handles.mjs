// The plugin handle_pipelines.mystmd, for mystmd: it starts the program handles.py beside
// this file, and shows what that says of a page. mystmd hides the standard error of an
// executable plugin.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "handles.py");
// "line 3: warning: what is wrong"; a line or a level may be missing.
const MESSAGE = /^(?:line (\d+): )?(?:(error|warning|note): )?(.*)$/s;
// How a message of a page says its level.
const FATAL = { error: true, warning: false, note: null };
// What is said of a file, which each page reads.
const said = new Set();

/** What the program answers; what it says is told of the page. */
function ask(args, input, page) {
  const done = spawnSync(PROGRAM, args, {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: Infinity,
  });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(done.stderr.trim() || `${PROGRAM} failed`);
  for (const line of done.stderr.split(/\r?\n/).filter(Boolean)) {
    const [, number, level, reason] = MESSAGE.exec(line);
    if (!number && !level) {
      if (said.has(line)) continue;
      said.add(line);
    }
    const place = number ? { line: Number(number), column: 1 } : undefined;
    const message = page ? page.message(reason, place, "handles") : console.error(line);
    if (message && level) message.fatal = FATAL[level];
  }
  return JSON.parse(done.stdout);
}

const text = (option) => option && { ...option, type: String };
const specification = ask([], null, null);

export default {
  name: specification.name,
  roles: specification.roles.map((role) => ({
    ...role,
    body: text(role.body),
    run: (data, page) => ask(["--role", role.name], data, page),
  })),
  directives: specification.directives.map((directive) => ({
    ...directive,
    body: text(directive.body),
    options: Object.fromEntries(
      Object.entries(directive.options ?? {}).map(([name, option]) => [name, text(option)]),
    ),
    run: (data, page) => ask(["--directive", directive.name], data, page),
  })),
  transforms: specification.transforms.map((transform) => ({
    ...transform,
    plugin: () => (tree, page) => {
      Object.assign(tree, ask(["--transform", transform.name], tree, page));
    },
  })),
};
