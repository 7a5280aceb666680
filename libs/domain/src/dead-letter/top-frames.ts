const FRAMES = 3;
/** A stack can have megabytes; where it was thrown stands at its beginning, in Python at its end. */
const LOOKED_AT = 16_384;

const V8_OR_JAVA = /^\s*at (?:async )?(?:new )?([^\n]{1,500})$/u;
const PYTHON = /^\s*File "([^"\n]{1,500})", line \d+, in ([^\n]{1,200})$/u;
/** Of the platform or of packages: where the own code called them says more. */
const FOREIGN = /\bnode:|node_modules|<anonymous>|\bnative\b|site-packages|\bjava\.|\bjdk\.|\bsun\./u;

/**
 * The functions nearest to where an error was thrown, at most three, with the names of their files: no line numbers and
 * no folders, which change with every release and host. Own code before that of packages. Reads stacks of V8, Java and
 * Python; of others nothing.
 */
export function topFrames(stack: string): readonly string[] {
  const frames = newestFirst(stack);
  const own = frames.filter(({ line }) => !FOREIGN.test(line));
  return (own.length > 0 ? own : frames).slice(0, FRAMES).map(({ frame }) => frame);
}

interface Frame {
  readonly line: string;
  readonly frame: string;
}

function newestFirst(stack: string): readonly Frame[] {
  const python = linesOf(stack.slice(-LOOKED_AT), (line) => {
    const [, file, name] = PYTHON.exec(line) ?? [];
    return file === undefined || name === undefined ? null : `${name} (${fileName(file)})`;
  });
  if (python.length > 0) return python.toReversed();
  return linesOf(stack.slice(0, LOOKED_AT), (line) => {
    const [, rest] = V8_OR_JAVA.exec(line) ?? [];
    return rest === undefined ? null : frameOf(rest);
  });
}

function linesOf(text: string, read: (line: string) => string | null): readonly Frame[] {
  return text.split('\n').flatMap((line) => {
    const frame = read(line.trimEnd());
    return frame === null ? [] : [{ line, frame }];
  });
}

/** `send (/app/mail.js:3:7)`, `/app/mail.js:3:7`, `com.shop.Mail.send(Mail.java:12)`. */
function frameOf(rest: string): string {
  const [, name, place] = /^([^(]{1,300}?) ?\(([^)]{1,500})\)$/u.exec(rest) ?? [];
  return name === undefined || place === undefined ? fileName(rest) : `${name} (${fileName(place)})`;
}

function fileName(place: string): string {
  const file = place.replace(/(?::\d+){1,2}$/u, '');
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}
