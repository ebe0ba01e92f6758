package localapi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestDecode(t *testing.T) {
	result := `[` + strings.Repeat(`{"a": [1, -2.5e+3, "\"\\\u00e9", true, false, null, {}, [] ]}, `, 1000) + `"end"]`
	for name, tc := range map[string]struct{ body, want string }{
		"takes a result that comes first":                {`{"result": ` + result + `, "success":true,"apiVersion":"1.1.5"}`, result},
		"takes a result that comes last":                 {"\n{\"success\":true,\"apiVersion\":\"1.1.5\",\"result\":" + result + "\n}\n", result},
		"takes the last of two results":                  {`{"result":1,"success":true,"apiVersion":"1.1.5","result":` + result + `}`, result},
		"takes a result in another spelling":             {`{"success":true,"apiVersion":"1.1.5","Result":` + result + `}`, result},
		"takes a result whose key has an escape":         {`{"success":true,"apiVersion":"1.1.5","r\u0065sult":` + result + `}`, result},
		"takes a result that is null":                    {`{"success":true,"apiVersion":"1.1.5","result":null}`, `null`},
		"takes a reply without a result":                 {`{"success":true,"apiVersion":"1.1.5"}`, ``},
		"keeps a result inside another member out of it": {`{"success":true,"apiVersion":"1.1.5","other":{"result":1}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := decode("q", reply{status: 200, body: []byte(tc.body)}, APIVersion)
			require.NoError(t, err)
			if string(out.Result) != tc.want || out.APIVersion != "1.1.5" {
				t.Errorf("got %.300s, version %q", out.Result, out.APIVersion)
			}
		})
	}
	whole := `{"success":true,"result":` + result + `}`
	for name, body := range map[string]string{
		"half":                     whole[:len(whole)/2],
		"more than one":            whole + "{}",
		"with a comma too many":    strings.Replace(whole, `"end"]`, `"end",]`, 1),
		"with a control character": strings.Replace(whole, `end`, "e\x01nd", 1),
		"with a wrong escape":      strings.Replace(whole, `end`, `e\xnd`, 1),
		"with a wrong number":      strings.Replace(whole, `"end"`, `01`, 1),
		"nested beyond the limit":  `{"success":true,"result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
		"with a wrong success":     `{"success":"yes","result":1}`,
	} {
		t.Run("refuses a reply "+name, func(t *testing.T) {
			if out, err := decode("q", reply{status: 200, body: []byte(body)}, APIVersion); err == nil {
				t.Errorf("got %.300s", out.Result)
			}
		})
	}
}

// lists is a Roam that only lists graphs.
type lists struct {
	open, available       []Graph
	openErr, availableErr error
}

func (l lists) OpenGraphs(context.Context) ([]Graph, error)      { return l.open, l.openErr }
func (l lists) AvailableGraphs(context.Context) ([]Graph, error) { return l.available, l.availableErr }

func TestList(t *testing.T) {
	a, b, bOffline := Graph{"a", Hosted}, Graph{"b", Hosted}, Graph{"b", Offline}
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		roam   lists
		graphs []Graph
		err    error
	}{
		"lists every graph once, the open ones first": {lists{open: []Graph{bOffline}, available: []Graph{a, bOffline, b}}, []Graph{bOffline, a, b}, nil},
		"lists nothing where the other list fails":    {lists{open: []Graph{a}, availableErr: broken}, nil, broken},
		"lists nothing where Roam is away":            {lists{openErr: broken, available: []Graph{a}}, nil, broken},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := List(t.Context(), test.roam)
			if err != test.err || !slices.Equal(l.Graphs(), test.graphs) {
				t.Errorf("got %+v, %v", l, err)
			}
		})
	}
	both := Listing{Open: []Graph{bOffline}, Available: []Graph{b, a}}
	for name, test := range map[string]struct {
		wanted, found Graph
		ok            bool
	}{
		"finds the hosted graph of two":   {Graph{Name: "b"}, b, true},
		"finds the graph of a type":       {Graph{"b", Offline}, bOffline, true},
		"finds no graph of another type":  {Graph{"a", Offline}, Graph{}, false},
		"finds no graph that is not here": {Graph{Name: "c"}, Graph{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if found, ok := both.Find(test.wanted); found != test.found || ok != test.ok {
				t.Errorf("got %+v, %v", found, ok)
			}
		})
	}
}
