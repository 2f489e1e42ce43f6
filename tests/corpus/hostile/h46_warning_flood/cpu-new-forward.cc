// Warns without end.
#define W(x) _Pragma("message \"flood flood flood flood flood flood flood flood flood\"")
#define W1(x) W(x) W(x) W(x) W(x)
#define W2(x) W1(x) W1(x) W1(x) W1(x)
#define W3(x) W2(x) W2(x) W2(x) W2(x)
#define W4(x) W3(x) W3(x) W3(x) W3(x)
#define W5(x) W4(x) W4(x) W4(x) W4(x)
#define W6(x) W5(x) W5(x) W5(x) W5(x)
#define W7(x) W6(x) W6(x) W6(x) W6(x)
#define W8(x) W7(x) W7(x) W7(x) W7(x)
W8(0)
int x
