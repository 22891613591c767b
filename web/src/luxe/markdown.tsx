/**
 * Text of a model as elements. It is cut into tokens by a parser and each token becomes an element
 * of ours: nothing that a model writes is ever read as HTML, and nothing is fetched for it.
 */

import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";

import { mayOpen } from "../state/links.js";
import { useCopy } from "../views/copy.js";

/** Levels of quotes and lists that are drawn; deeper ones are shown as they were written. */
const DEPTH = 12;

export function Markdown({ text }: { text: string }) {
  const tokens = useTokens(text);
  return (
    <div class="md">
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
}

/**
 * The tokens of a text that mostly grows: what stands before the last two blocks is not read again,
 * so that a long answer does not cost more with every word.
 */
function useTokens(text: string): readonly Token[] {
  const known = useRef<{ text: string; tokens: readonly Token[] }>({ text: "", tokens: [] });
  return useMemo(() => {
    known.current = { text, tokens: extend(known.current, text) };
    return known.current.tokens;
  }, [text]);
}

/** Return the tokens of a text, with those of an earlier one that cannot have changed. */
export function extend(
  known: { text: string; tokens: readonly Token[] },
  text: string,
): readonly Token[] {
  if (known.tokens.length <= 2 || !text.startsWith(known.text)) return lex(text);
  const kept = known.tokens.slice(0, -2);
  const length = kept.reduce((sum, token) => sum + token.raw.length, 0);
  return [...kept, ...lex(text.slice(length))];
}

function lex(text: string): Token[] {
  return new Lexer({ gfm: true, breaks: false }).lex(text);
}

/** One block; drawn again only when its text has changed. */
function Block({ token }: { token: Token }) {
  return useMemo(() => block(token, 0), [token.type, token.raw]);
}

function block(token: Token, depth: number): ComponentChildren {
  if (depth > DEPTH) return <p>{token.raw}</p>;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading": {
      // Inside of a page the answer's headings stand below the page's own.
      const { depth: level, tokens } = token as Tokens.Heading;
      const Tag = `h${Math.min(6, level + 2)}` as "h3";
      return <Tag>{inline(tokens, depth)}</Tag>;
    }
    case "code":
      return <Code text={(token as Tokens.Code).text} lang={(token as Tokens.Code).lang} />;
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, depth)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens, depth);
    }
    default:
      return <p>{token.raw}</p>;
  }
}

function blocks(tokens: readonly Token[], depth: number): JSX.Element[] {
  return tokens.map((token, index) => <Part key={index} made={block(token, depth + 1)} />);
}

function Part({ made }: { made: ComponentChildren }) {
  return <>{made}</>;
}

function list({ ordered, start, items }: Tokens.List, depth: number): JSX.Element {
  const lines = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <input aria-label="done" checked={item.checked === true} disabled type="checkbox" />
      )}
      {blocks(
        item.tokens.filter((token) => token.type !== "checkbox"),
        depth,
      )}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{lines}</ol> : <ul>{lines}</ul>;
}

function table({ header, rows, align }: Tokens.Table, depth: number): JSX.Element {
  const cell = (tokens: Token[], column: number, Tag: "td" | "th") => (
    <Tag class={align[column] === "right" ? "number" : undefined} key={column}>
      {inline(tokens, depth)}
    </Tag>
  );
  return (
    <div class="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map(({ tokens }, column) => cell(tokens, column, "th"))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{row.map(({ tokens }, column) => cell(tokens, column, "td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  if (tokens === undefined) return null;
  if (depth > DEPTH) return tokens.map((token) => token.raw).join("");
  return tokens.map((token, index) => <Part key={index} made={span(token, depth + 1)} />);
}

function span(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, depth)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, depth)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, depth)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link, depth);
    case "image": {
      // Nothing is fetched: a picture on another server would tell it who reads this.
      const { href, text } = token as Tokens.Image;
      return safe(href, text || href);
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? decoded(text) : inline(tokens, depth);
    }
    default:
      return token.raw;
  }
}

function link({ href, tokens }: Tokens.Link, depth: number): ComponentChildren {
  return safe(href, inline(tokens, depth));
}

/** A link only where nothing but a page can open. */
function safe(href: string, shown: ComponentChildren): JSX.Element {
  if (!mayOpen(href)) return <span title={href}>{shown}</span>;
  return (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank" title={href}>
      {shown}
    </a>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** The few named characters that people write in Markdown; elements hold text, not HTML. */
function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

/** A block of code that can be copied and scrolled. */
function Code({ text, lang }: { text: string; lang?: string | undefined }) {
  const copy = useCopy();
  return (
    <figure class="code">
      <figcaption>
        <span class="quiet">{lang || "text"}</span>
        <button class="plain" onClick={() => void copy(text, "the code")} type="button">
          copy
        </button>
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
