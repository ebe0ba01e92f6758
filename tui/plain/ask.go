package plain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/tui"
)

// prompter asks in lines, and tells between them what comes in meanwhile.
type prompter struct {
	teller
	options Options
	in      *input
	desk    approvals
	calls   <-chan tui.Call // of the server that runs; nil: none does
}

// prompt prints a question. Answers of a pipe are not echoed, so there the
// question ends its line.
func (p *prompter) prompt(question, standard string) {
	text := p.line(question)
	if standard != "" {
		text += " (default: " + p.line(standard) + ")"
	}
	if p.options.Terminal {
		p.print(text + ": ")
		return
	}
	p.say(text + ":")
}

// ask asks a question and waits for a line. What comes in meanwhile from the
// sandbox's desk is told between.
func (p *prompter) ask(ctx context.Context, question, standard string) (string, error) {
	p.desk.poll(p)
	p.prompt(question, standard)
	for {
		l, err := p.next(ctx, question, standard)
		if err != nil {
			return "", err
		}
		if l.err == nil {
			return strings.TrimSpace(l.text), nil
		}
		p.fail(l.err)
		p.prompt(question, standard)
	}
}

// next is the line that was kept, or the next one that comes.
func (p *prompter) next(ctx context.Context, question, standard string) (line, error) {
	if kept := p.in.kept; kept != nil {
		p.in.kept = nil
		return *kept, nil
	}
	for {
		if p.in.ended != nil {
			return line{}, p.in.endedAt(ctx, question)
		}
		select {
		case <-ctx.Done():
			return line{}, ctx.Err()
		case requests, open := <-p.desk.updates:
			if p.desk.follow(p, requests, open) {
				p.prompt(question, standard)
			}
		case call, open := <-p.calls:
			if p.called(call, open) {
				p.prompt(question, standard)
			}
		case l := <-p.in.lines:
			if l, ok := p.in.take(l); ok {
				return l, nil
			}
		}
	}
}

// option is one of the answers to choose from.
type option struct {
	word  string   // what to type; also what the list shows first
	about string   // what it means; may be empty
	also  []string // further words for it
}

func (o option) is(answer string) bool {
	return slices.ContainsFunc(append([]string{o.word}, o.also...), func(word string) bool { return strings.EqualFold(word, answer) })
}

// choose lists the options, numbered from 1, and gives the index of the chosen
// one. Enter alone chooses the standard one.
func (p *prompter) choose(ctx context.Context, question string, options []option, standard int) (int, error) {
	p.list(options)
	return p.pick(ctx, question, options, standard)
}

// list tells of options, numbered from 1.
func (p *prompter) list(options []option) {
	for i, o := range options {
		text := o.word
		if o.about != "" {
			text += ": " + o.about
		}
		p.tell(fmt.Sprintf("%d. %s", i+1, text))
	}
}

// answer asks once, and returns the index of the option that the answer names; -1 for an
// answer that names none.
func (p *prompter) answer(ctx context.Context, question string, options []option, standard int) (i int, answer string, err error) {
	answer, err = p.ask(ctx, question, fmt.Sprintf("%d, %s", standard+1, options[standard].word))
	if err != nil || answer == "" {
		return standard, "", err
	}
	return indexOf(options, answer), answer, nil
}

// pick is choose without the list.
func (p *prompter) pick(ctx context.Context, question string, options []option, standard int) (int, error) {
	for {
		i, _, err := p.answer(ctx, question, options, standard)
		if err != nil || i >= 0 {
			return i, err
		}
		p.tell("That is none of the choices. Type its number or its word.")
	}
}

// leastPart is how many letters of what an option says find it.
const leastPart = 3

// find is pick for what is too much to remember: an answer that is no choice finds those that
// say it. Where several do, they are asked about.
func (p *prompter) find(ctx context.Context, question string, options []option, standard int) (int, error) {
	for {
		i, answer, err := p.answer(ctx, question, options, standard)
		if err != nil || i >= 0 {
			return i, err
		}
		found := saying(options, answer)
		switch len(found) {
		case 0:
			p.tell("That is none of the choices. Type its number, its word, or a part of what it says.")
			continue
		case 1:
			return found[0], nil
		}
		var narrowed []option
		for _, i := range found {
			narrowed = append(narrowed, options[i])
		}
		narrowed = append(narrowed, option{word: "none", about: "ask again"})
		i, err = p.choose(ctx, "Which of these", narrowed, len(found))
		if err != nil {
			return 0, err
		}
		if i < len(found) {
			return found[i], nil
		}
	}
}

// saying returns the options of which a word begins with what is asked for.
func saying(options []option, part string) (found []int) {
	if len([]rune(part)) < leastPart {
		return nil
	}
	part = configstore.FoldNickname(part)
	for i, o := range options {
		if strings.Contains(" "+configstore.FoldNickname(o.word+" "+o.about), " "+part) {
			found = append(found, i)
		}
	}
	return found
}

// indexOf finds an answer among the options: a word of theirs goes before a
// number, since a graph may be called 2. It gives -1 for none.
func indexOf(options []option, answer string) int {
	for i, o := range options {
		if o.is(answer) {
			return i
		}
	}
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(options) {
		return n - 1
	}
	return -1
}

// text asks for a text until check accepts it. Enter alone gives the standard.
func (p *prompter) text(ctx context.Context, question, standard string, check func(string) string) (string, error) {
	for {
		answer, err := p.ask(ctx, question, standard)
		if err != nil {
			return "", err
		}
		answer = cmp.Or(answer, standard)
		if wrong := check(answer); wrong != "" {
			p.tell(wrong)
			continue
		}
		return answer, nil
	}
}

// field is text with what a form of the setup program says and checks.
func (p *prompter) field(ctx context.Context, f tui.Field, standard string) (string, error) {
	p.tell(f.About)
	return p.text(ctx, f.Title, standard, f.Check)
}

// hidden asks for a text that a terminal does not show.
func (p *prompter) hidden(ctx context.Context, question, standard string) (string, error) {
	if p.options.HideInput == nil {
		return p.ask(ctx, question, standard)
	}
	show, err := p.options.HideInput()
	if err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	defer p.say("") // the Enter of the answer was not shown either
	defer show()
	return p.ask(ctx, question, standard)
}
