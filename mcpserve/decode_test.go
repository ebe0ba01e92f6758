package mcpserve

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestAnOrdinaryRequestIsOnlyCutApart(t *testing.T) {
	for line, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`:    true,
		` { "id" : "a-7" , "params" : { } , "method":"ping" , "jsonrpc":"2.0" } `: true,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`:      false,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                                false,
		`{"jsonrpc":"1.0","id":7,"method":"ping","params":{}}`:                    false,
		`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping","params":{}}`:             false,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{},"result":{}}`:        false,
		`{"jsonrpc":"2.0","id":-7,"method":"ping","params":{}}`:                   false,
		`{"jsonrpc":"2.0","id":1e2,"method":"ping","params":{}}`:                  false,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":{}}`:     false,
		`{"jsonrpc":"2.0","id":7,"method":"p\u0069ng","params":{}}`:               false,
		`{"jsonrpc":"2.0","id":"ü","method":"ping","params":{}}`:                  false,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}`:                    false,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":null}`:                  false,
		`{"jsonrpc":"2.0","id":null,"method":"ping","params":{}}`:                 false,
		`{"jsonrpc":"2.0","id":7,"method":7,"params":{}}`:                         false,
		`{"jsonrpc":"2.0","id":7,"Method":"ping","params":{}}`:                    false,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{},"method":"x"}`:       false,
	} {
		if _, ok := ordinaryRequest([]byte(line)); ok != want {
			t.Errorf("%s: %v", line, ok)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,"}"]}}}`)
	f.Add(` {"method":"","id":"7","params":{ } ,"jsonrpc":"2.0"} `)
	f.Add(`{"jsonrpc":"2.0","id":00,"method":"\"","params":{}}`)
	f.Add(`{"jsonrpc":"2.0","id":"","method":"x","params":{"é":"\u2028"}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if !json.Valid([]byte(line)) {
			t.Skip()
		}
		request, ok := ordinaryRequest([]byte(line))
		if !ok {
			return
		}
		want, err := jsonrpc.DecodeMessage([]byte(line))
		if err != nil || !reflect.DeepEqual(request, want) {
			t.Errorf("%q is %+v, to the library %+v, %v", line, request, want, err)
		}
	})
}
