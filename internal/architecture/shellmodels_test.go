package architecture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// readByCmd returns the words that a program gets of a line that is typed into cmd.exe. It
// refuses what cmd.exe would not give to the program, and whatever looks like a variable,
// also of delayed expansion.
func readByCmd(line string) ([]string, error) {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c < ' ' || c == 0x7f:
			return nil, fmt.Errorf("the key %q does something", c)
		case c == '%' || c == '!':
			return nil, fmt.Errorf("%q may begin a variable", c)
		case c == '"':
			quoted = !quoted
			out.WriteByte(c)
		case quoted:
			out.WriteByte(c)
		case c == '^':
			i++
		case strings.IndexByte("&|<>()", c) >= 0:
			return nil, fmt.Errorf("%q is an operator", c)
		default:
			out.WriteByte(c)
		}
	}
	return splitByProgram(out.String()), nil
}

// splitByProgram splits a command line as programs on Windows do (the C runtime of
// Microsoft, and package os).
func splitByProgram(line string) []string {
	var words []string
	var word strings.Builder
	began, quoted, slashes := false, false, 0
	flush := func(n int) { word.WriteString(strings.Repeat(`\`, n)); slashes = 0 }
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			slashes++
			began = true
		case c == '"':
			odd := slashes%2 == 1
			flush(slashes / 2)
			began = true
			switch {
			case odd:
				word.WriteByte('"')
			case quoted && i+1 < len(line) && line[i+1] == '"':
				word.WriteByte('"')
				i++
			default:
				quoted = !quoted
			}
		case (c == ' ' || c == '\t') && !quoted:
			flush(slashes)
			if began {
				words = append(words, word.String())
			}
			word.Reset()
			began = false
		default:
			flush(slashes)
			word.WriteByte(c)
			began = true
		}
	}
	flush(slashes)
	if began {
		words = append(words, word.String())
	}
	return words
}

// readByPowerShell returns a function that returns the words that a program gets of a line
// that is typed into a PowerShell which passes arguments on in its way.
func readByPowerShell(pass func(string) string) func(string) ([]string, error) {
	return func(line string) ([]string, error) {
		p := powerShell{text: []rune(line)}
		var passed []string
		for {
			word, more, err := p.argument()
			if err != nil {
				return nil, err
			}
			if !more {
				return splitByProgram(strings.Join(passed, " ")), nil
			}
			passed = append(passed, pass(word))
		}
	}
}

// passedByPowerShell5 is how Windows PowerShell writes an argument into a command line.
func passedByPowerShell5(word string) string {
	if strings.ContainsFunc(word, unicode.IsSpace) {
		return `"` + word + `"`
	}
	return word
}

// passedByPowerShell7 is how PowerShell from 7.3 on does.
func passedByPowerShell7(word string) string {
	if word != "" && !strings.ContainsFunc(word, unicode.IsSpace) && !strings.Contains(word, `"`) {
		return word
	}
	var out strings.Builder
	slashes := 0
	for _, r := range word {
		switch r {
		case '\\':
			slashes++
			continue
		case '"':
			out.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			out.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		out.WriteRune(r)
	}
	return `"` + out.String() + strings.Repeat(`\`, 2*slashes) + `"`
}

// powerShell reads the arguments of a line in PowerShell's argument mode, as far as
// nothing in it is expanded.
type powerShell struct {
	text []rune
	at   int
}

const (
	psSingle = "'\u2018\u2019\u201a\u201b"
	psDouble = "\"\u201c\u201d\u201e"
)

func (p *powerShell) here(class string) bool {
	return p.at < len(p.text) && strings.ContainsRune(class, p.text[p.at])
}

// argument returns the next argument; false at the end.
func (p *powerShell) argument() (string, bool, error) {
	for p.here(" ") {
		p.at++
	}
	if p.at >= len(p.text) {
		return "", false, nil
	}
	if p.here("(") {
		word, err := p.sum()
		return word, true, err
	}
	var word strings.Builder
	dashed, first := p.here("-"), true
	for p.at < len(p.text) && !p.here(" ") {
		r := p.text[p.at]
		switch {
		case p.here(psSingle), p.here(psDouble):
			if !first && dashed {
				return "", false, fmt.Errorf("a quote within a parameter")
			}
			part, err := p.quoted()
			if err != nil {
				return "", false, err
			}
			word.WriteString(part)
			first = false
			continue
		case first && strings.ContainsRune("@#<>~", r), strings.ContainsRune("`$(){};,|&<>*?[]!%^", r), unicode.IsSpace(r), !unicode.IsGraphic(r):
			return "", false, fmt.Errorf("%q is not taken as it is", r)
		case dashed && (r == '.' || r == ':'):
			return "", false, fmt.Errorf("a parameter is parted at %q", r)
		}
		word.WriteRune(r)
		p.at++
		first = false
	}
	return word.String(), true, nil
}

// quoted reads a string in quotes.
func (p *powerShell) quoted() (string, error) {
	class := psSingle
	if p.here(psDouble) {
		class = psDouble
	}
	var out strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch r := p.text[p.at]; {
		case p.here(class):
			if p.at+1 < len(p.text) && strings.ContainsRune(class, p.text[p.at+1]) {
				p.at++
				out.WriteRune(p.text[p.at])
				continue
			}
			p.at++
			return out.String(), nil
		case class == psDouble && strings.ContainsRune("$`", r):
			return "", fmt.Errorf("%q is expanded", r)
		case unicode.IsControl(r):
			return "", fmt.Errorf("the key %q does something", r)
		default:
			out.WriteRune(r)
		}
	}
	return "", fmt.Errorf("a quote is open")
}

// sum reads an expression of texts and characters that are put together.
func (p *powerShell) sum() (string, error) {
	var out strings.Builder
	for first := true; ; first = false {
		p.at++ // ( or +
		rest := string(p.text[p.at:])
		number := ""
		switch {
		case p.here(psSingle):
			part, err := p.quoted()
			if err != nil {
				return "", err
			}
			out.WriteString(part)
		case first:
			return "", fmt.Errorf("the sum does not begin with a text: %s", rest)
		case strings.HasPrefix(rest, "[char]::ConvertFromUtf32("):
			number, _, _ = strings.Cut(rest[len("[char]::ConvertFromUtf32("):], ")")
			p.at += len("[char]::ConvertFromUtf32(") + len(number) + 1
		case strings.HasPrefix(rest, "[char]0x"):
			number = rest[len("[char]") : len("[char]")+6]
			p.at += len("[char]") + 6
		default:
			return "", fmt.Errorf("an expression: %s", rest)
		}
		if number != "" {
			code, err := strconv.ParseUint(number, 0, 32)
			if err != nil {
				return "", err
			}
			out.WriteRune(rune(code))
		}
		if p.here(")") {
			p.at++
			return out.String(), nil
		}
		if !p.here("+") {
			return "", fmt.Errorf("a sum goes on with %s", string(p.text[p.at:]))
		}
	}
}

func TestModelsOfShells(t *testing.T) {
	for name, test := range map[string]struct {
		read func(string) ([]string, error)
		line string
		want []string // nil: it is refused
	}{
		"cmd.exe gives quoted operators to the program":          {readByCmd, `r "a & b|c>d^e" f`, []string{"r", "a & b|c>d^e", "f"}},
		"cmd.exe runs what stands behind an operator":            {readByCmd, `r a&b`, nil},
		"cmd.exe knows no single quotes":                         {readByCmd, `r 'a b'`, []string{"r", "'a", "b'"}},
		"cmd.exe expands variables in quotes":                    {readByCmd, `r "%PATH%"`, nil},
		"cmd.exe ends its quotes where a program does not":       {readByCmd, `r "a\" & b"`, nil},
		"cmd.exe takes carets outside of quotes":                 {readByCmd, `r a^b`, []string{"r", "a"}},
		"a program halves backslashes before a quote":            {readByCmd, `r "a\\" b\c`, []string{"r", `a\`, `b\c`}},
		"a program takes doubled quotes for one":                 {readByCmd, `r "a""b" ""`, []string{"r", `a"b`, ""}},
		"PowerShell ends a text at a typographic quote":          {readByPowerShell(passedByPowerShell7), "r 'a\u2019b'", nil},
		"PowerShell takes a doubled quote for one":               {readByPowerShell(passedByPowerShell7), "r 'a''b'", []string{"r", "a'b"}},
		"PowerShell expands in double quotes":                    {readByPowerShell(passedByPowerShell7), `r "a$b"`, nil},
		"PowerShell makes a text of a sum":                       {readByPowerShell(passedByPowerShell5), "r ('a'+[char]0x00a0+'b'+[char]::ConvertFromUtf32(0xe0041))", []string{"r", "a\u00a0b\U000e0041"}},
		"PowerShell parts a parameter at a dot":                  {readByPowerShell(passedByPowerShell7), `r -a.b`, nil},
		"PowerShell makes a list at a comma":                     {readByPowerShell(passedByPowerShell7), `r a,b`, nil},
		"Windows PowerShell loses double quotes":                 {readByPowerShell(passedByPowerShell5), `r 'a"b"'`, []string{"r", `ab`}},
		"Windows PowerShell loses an empty word":                 {readByPowerShell(passedByPowerShell5), `r ''`, []string{"r"}},
		"Windows PowerShell has a backslash escape its quotes":   {readByPowerShell(passedByPowerShell5), `r 'a b\' c`, []string{"r", `a b" c`}},
		"PowerShell 7 passes quotes, backslashes and no text on": {readByPowerShell(passedByPowerShell7), `r 'a"b' 'a b\' ''`, []string{"r", `a"b`, `a b\`, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.read(test.line)
			if (err != nil) != (test.want == nil) || err == nil && !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
