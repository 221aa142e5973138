/* The plant of foreign.c, x' = u, that does harm in its first evaluation: the parameter k says what.
   A deed returns 0 if it was done and an error number if it was prevented; then the FMU says so and
   gives up. HOME and UNIX_SOCKET are paths, PORT is a port of 127.0.0.1, all made by the test: no
   deed does lasting harm where nothing prevents it. */
#define _GNU_SOURCE
#include "fmi2Functions.h"
#undef fmi2GetDerivatives
#undef fmi2SetContinuousStates
#undef fmi2SetReal
#undef fmi2Terminate
#define fmi2GetDerivatives good_derivatives
#define fmi2SetContinuousStates good_states
#define fmi2SetReal good_set
#define fmi2Terminate good_terminate
#include "foreign.c"
#undef fmi2GetDerivatives
#undef fmi2SetContinuousStates
#undef fmi2SetReal
#undef fmi2Terminate

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#define DONE(CALL) ((CALL) < 0 ? errno : 0)

/* ---------------------------------------------------------------- files */

static int write_home(void) { return DONE(open(HOME "/new", O_CREAT | O_WRONLY, 0600)); }
static int make_folder(void) { return DONE(mkdir(HOME "/folder", 0700)); }
static int read_secret(void) { return DONE(open(HOME "/secret", O_RDONLY)); }
static int append_secret(void) { return DONE(open(HOME "/secret", O_WRONLY | O_APPEND)); }
static int truncate_secret(void) { return DONE(truncate(HOME "/secret", 1)); }
static int empty_secret(void) { return DONE(open(HOME "/secret", O_WRONLY | O_TRUNC)); }
static int remove_secret(void) { return DONE(unlink(HOME "/secret")); }
static int rename_secret(void) { return DONE(rename(HOME "/secret", "mine")); }
static int open_home(void) { return DONE(chmod(HOME, 0777)); }
static int link_secret(void) { return DONE(link(HOME "/secret", "mine")); }
static int plant_link(void) { return DONE(symlink(HOME, "trap")); }
static int list_home(void) { return opendir(HOME) == NULL ? errno : 0; }
static int own_binary(void)
{
    Dl_info info;
    dladdr((void *)own_binary, &info);
    return DONE(open(info.dli_fname, O_WRONLY));
}

static int own_description(void) /* binaries/linux64/foreign.so lies two folders below it */
{
    Dl_info info;
    char name[4096];
    int i;
    dladdr((void *)own_binary, &info);
    strcpy(name, info.dli_fname);
    for (i = 0; i < 3; ++i) {
        *strrchr(name, '/') = 0;
    }
    strcat(name, "/modelDescription.xml");
    return DONE(open(name, O_WRONLY));
}

/* ---------------------------------------------------------------- network */

static struct sockaddr_in local(int port)
{
    struct sockaddr_in a;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}
static int tcp(void)
{
    struct sockaddr_in a = local(PORT);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    return s < 0 ? errno : DONE(connect(s, (struct sockaddr *)&a, sizeof a));
}
static int udp(void)
{
    struct sockaddr_in a = local(PORT);
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    return s < 0 ? errno : DONE(sendto(s, "secret", 6, 0, (struct sockaddr *)&a, sizeof a));
}
static int server(void)
{
    struct sockaddr_in a = local(0);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    return s < 0 ? errno : DONE(bind(s, (struct sockaddr *)&a, sizeof a));
}
static int unix_socket(void)
{
    struct sockaddr_un a;
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    memset(&a, 0, sizeof a);
    a.sun_family = AF_UNIX;
    strcpy(a.sun_path, UNIX_SOCKET);
    return s < 0 ? errno : DONE(connect(s, (struct sockaddr *)&a, sizeof a));
}

/* ---------------------------------------------------------------- processes */

static int execute(void)
{
    char *arguments[] = {"touch", HOME "/executed", NULL};
    return DONE(execv("/usr/bin/touch", arguments));
}
static int shell(void) { return system("touch " HOME "/shell") == 0 ? 0 : EPERM; }
static int fork_bomb(void)
{
    int i;
    for (i = 0; i < 8; ++i) { /* eight, and none of them lives on */
        const pid_t child = fork();
        if (child < 0) {
            return errno;
        }
        if (child == 0) {
            close(open(HOME "/forked", O_CREAT | O_WRONLY, 0600));
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
static int new_process(void) /* past the C library */
{
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        _exit(0);
    }
    return DONE(child);
}

/* ---------------------------------------------------------------- other processes */

static int attach(void)
{
    const long answer = ptrace(PTRACE_SEIZE, getppid(), 0, 0);
    if (answer == 0) {
        ptrace(PTRACE_DETACH, getppid(), 0, 0);
    }
    return DONE(answer);
}
/* SIGURG, which the test counts: were it SIGKILL, a failed test would not be told */
static int signal_caller(void) { return DONE(kill(getppid(), SIGURG)); }
static int signal_thread(void) { return DONE(syscall(SYS_tgkill, getppid(), getppid(), SIGURG)); }
static int queue_signal(void)
{
    union sigval value = {0};
    return DONE(sigqueue(getppid(), SIGURG, value));
}
static int signal_by_owner(void)
{
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETSIG, SIGURG) < 0) {
        return errno;
    }
    if (fcntl(ends[0], F_SETOWN, getppid()) < 0 || fcntl(ends[0], F_SETFL, O_ASYNC) < 0) {
        return errno;
    }
    return DONE(write(ends[1], "x", 1));
}
static int limit_caller(void)
{
    struct rlimit limit;
    if (prlimit(getppid(), RLIMIT_CORE, NULL, &limit) < 0) {
        return errno;
    }
    return DONE(prlimit(getppid(), RLIMIT_CORE, &limit, NULL));
}
static int callers_memory(void)
{
    char here[8];
    struct iovec to = {here, 8}, from = {(void *)own_binary, 8};
    const ssize_t count = process_vm_readv(getppid(), &to, 1, &from, 1, 0);
    return count < 0 && errno == EPERM ? EPERM : 0; /* EFAULT: allowed, but nothing there */
}
static int callers_environment(void)
{
    char name[64];
    sprintf(name, "/proc/%d/environ", (int)getppid());
    return DONE(open(name, O_RDONLY));
}
static int callers_files(void)
{
    char name[64];
    sprintf(name, "/proc/%d/fd", (int)getppid());
    return opendir(name) == NULL ? errno : 0;
}

/* ---------------------------------------------------------------- limits and wide doors */

static int raise_memory(void)
{
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return DONE(setrlimit(RLIMIT_AS, &limit));
}
static int raise_files(void)
{
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return DONE(prlimit(0, RLIMIT_FSIZE, &limit, NULL));
}
static int become_other(void) { return DONE(syscall(SYS_setuid, getuid() == 0 ? 12345 : 0)); }
static int outlive(void) { return DONE(prctl(PR_SET_PDEATHSIG, 0)); }
static int rings(void) { char p[256] = {0}; return DONE(syscall(SYS_io_uring_setup, 1, p)); }
static int kernel_program(void) { return DONE(syscall(SYS_bpf, 0, NULL, 0)); }
static int keys(void) { return DONE(syscall(SYS_keyctl, 0, -2, 0)); }
static int name_space(void) { return DONE(syscall(SYS_unshare, 0x10000000)); }
/* onto a folder that is not there: where it is allowed, the error is another one */
static int mounts(void) { return DONE(syscall(SYS_mount, "none", "absent", "tmpfs", 0, 0)); }
static int hidden_memory(void) { return DONE(syscall(SYS_memfd_create, "m", 0)); }
static int lasting_memory(void)
{
    const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id >= 0) {
        shmctl(id, IPC_RMID, NULL);
    }
    return DONE(id);
}

/* ---------------------------------------------------------------- shared between processes */

/* Of what is not there: where it is allowed, the error is another one. */
#define DENIED(CALL) ((CALL) < 0 && errno == EPERM)
#define ABSENT 0x7fffffff

static int message_queues(void)
{
    struct { long type; char text[8]; } message = {1, "secret"};
    struct msginfo all;
    const int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (id >= 0) {
        msgctl(id, IPC_RMID, NULL);
        return 0;
    }
    return DENIED(id) && DENIED(msgsnd(ABSENT, &message, 8, IPC_NOWAIT)) &&
           DENIED(msgrcv(ABSENT, &message, 8, 0, IPC_NOWAIT)) &&
           DENIED(msgctl(ABSENT, IPC_RMID, NULL)) &&
           DENIED(msgctl(0, MSG_INFO, (struct msqid_ds *)&all)) ? EPERM : 0;
}
static int semaphores(void)
{
    struct sembuf down = {0, -1, IPC_NOWAIT};
    const struct timespec soon = {0, 1};
    const int id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (id >= 0) {
        semctl(id, 0, IPC_RMID);
        return 0;
    }
    return DENIED(id) && DENIED(syscall(SYS_semop, ABSENT, &down, 1)) && DENIED(semctl(ABSENT, 0, IPC_RMID)) &&
           DENIED(semtimedop(ABSENT, &down, 1, &soon)) ? EPERM : 0;
}
static int shared_memory(void)
{
    struct shm_info all;
    return DENIED((long)shmat(ABSENT, NULL, 0)) && DENIED(shmdt(NULL)) &&
           DENIED(shmctl(ABSENT, IPC_RMID, NULL)) &&
           DENIED(shmctl(0, SHM_INFO, (struct shmid_ds *)&all)) ? EPERM : 0;
}
static int posix_queues(void)
{
    return DENIED(syscall(SYS_mq_open, "absent", O_RDWR, 0, NULL)) &&
           DENIED(syscall(SYS_mq_unlink, "absent")) &&
           DENIED(syscall(SYS_mq_timedsend, -1, "x", 1, 0, NULL)) &&
           DENIED(syscall(SYS_mq_timedreceive, -1, NULL, 0, NULL, NULL)) &&
           DENIED(syscall(SYS_mq_notify, -1, NULL)) &&
           DENIED(syscall(SYS_mq_getsetattr, -1, NULL, NULL)) ? EPERM : 0;
}
static int posix_memory(void) /* as shm_open and sem_open do */
{
    const int file = open("/dev/shm/cranebridge-test", O_CREAT | O_RDWR, 0600);
    if (file >= 0) {
        unlink("/dev/shm/cranebridge-test");
    }
    return DONE(file);
}
static int watch_home(void)
{
    const int watch = inotify_init();
    return watch < 0 ? errno : DONE(inotify_add_watch(watch, HOME, IN_CREATE));
}
static int home_attributes(void)
{
    char text[64];
    return DENIED(listxattr(HOME, text, 64)) && DENIED(llistxattr(HOME, text, 64)) &&
           DENIED(getxattr(HOME, "user.x", text, 64)) &&
           DENIED(lgetxattr(HOME, "user.x", text, 64)) ? EPERM : 0;
}

/* ---------------------------------------------------------------- without an error number */

static void forge(const char *header, unsigned length)
{
    struct stat status;
    int file = 3;
    while (fstat(file, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        ++file;
    }
    write(file, &length, sizeof length);
    write(file, header, strlen(header));
}
static int forged_answer(void)
{
    const char *header = "{\"body\": {\"steps\": 1, \"rejected\": 0, \"evaluations\": 1, \"events\": 0,"
                         " \"seconds\": 0.0}, \"arrays\": []}";
    forge(header, strlen(header));
    for (;;) { sleep(1000); }
}
static int huge_header(void) { forge("", 2u << 20); for (;;) { sleep(1000); } }
static int huge_arrays(void)
{
    const char *header = "{\"body\": {}, \"arrays\": [[\"outputs\", [16384, 16384]]]}";
    forge(header, strlen(header));
    for (;;) { sleep(1000); }
}
static int deep_header(void)
{
    static char header[500001];
    memset(header, '[', 500000);
    forge(header, 500000);
    for (;;) { sleep(1000); }
}

/* 64 MiB at most, slowly enough that the caller sees it before that */
static int fill(int hidden)
{
    static char block[1 << 20];
    int i;
    memset(block, 1, sizeof block);
    for (i = 0; i < 64; ++i) {
        char name[32];
        int file;
        sprintf(name, "fill%d", i);
        file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0) {
            return errno;
        }
        if (hidden) {
            unlink(name);
        }
        write(file, block, sizeof block);
        if (!hidden) {
            close(file);
        }
    }
    for (;;) { sleep(1000); }
}
static int fill_disk(void) { return fill(0); }
static int fill_deep(void) /* where no path of the system leads to */
{
    char name[201];
    int i;
    memset(name, 'n', 200);
    name[200] = 0;
    for (i = 0; i < 30; ++i) {
        if (mkdir(name, 0700) != 0 || chdir(name) != 0) {
            return errno;
        }
    }
    return fill(0);
}
static int fill_hidden(void) { return fill(1); }
static int many_files(void)
{
    int i;
    for (i = 0; i < 200; ++i) {
        char name[32];
        sprintf(name, "many%d", i);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
    for (;;) { sleep(1000); }
}
static void *idle(void *nothing) { for (;;) { sleep(1000); } return nothing; }
static int many_threads(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int i;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (i = 0; i < 60; ++i) {
        pthread_create(&thread, &small, idle, NULL);
    }
    for (;;) { sleep(1000); }
}
static int ignore_signals(void)
{
    int i;
    for (i = 1; i < 65; ++i) {
        signal(i, SIG_IGN);
    }
    close(open("ignoring", O_CREAT | O_WRONLY, 0600)); /* for the test: from now on */
    for (;;) { sleep(1000); }
}
static int large_file(void) /* one MiB behind the limit, without filling the disk */
{
    const int file = open("large", O_CREAT | O_WRONLY, 0600);
    signal(SIGXFSZ, SIG_IGN);
    return DONE(pwrite(file, "x", 1, 257 << 20));
}

/* ---------------------------------------------------------------- deeds by number */

#define DEEDS(X) \
    X(write_home) X(make_folder) X(read_secret) X(append_secret) X(truncate_secret) \
    X(empty_secret) X(remove_secret) X(rename_secret) X(open_home) X(link_secret) X(plant_link) \
    X(list_home) X(own_binary) X(own_description) X(tcp) X(udp) X(server) X(unix_socket) X(execute) X(shell) \
    X(fork_bomb) X(new_process) X(attach) X(signal_caller) X(signal_thread) \
    X(queue_signal) X(signal_by_owner) X(limit_caller) X(callers_memory) X(callers_environment) \
    X(callers_files) X(raise_memory) X(raise_files) X(become_other) X(outlive) X(rings) \
    X(kernel_program) X(keys) X(name_space) X(mounts) X(hidden_memory) X(lasting_memory) \
    X(message_queues) X(semaphores) X(shared_memory) X(posix_queues) X(posix_memory) \
    X(watch_home) X(home_attributes) \
    X(large_file) X(forged_answer) X(huge_header) X(huge_arrays) X(deep_header) X(fill_disk) \
    X(fill_hidden) X(fill_deep) X(many_files) X(many_threads) X(ignore_signals)
#define AS_FUNCTION(NAME) NAME,
#define AS_NAME(NAME) #NAME,
static int (*const deeds[])(void) = {DEEDS(AS_FUNCTION)};
static const char *const names[] = {DEEDS(AS_NAME)};

/* These go on as if nothing had happened; numbers from 100. */
enum { ROUNDING = 100, ESCAPES, ENVIRONMENT, PAST_ARRAYS, HANG_AT_END, LOCKED_FOLDER, THREAD,
       OWN_SIGNAL, OWN_FILE, CHANGE_CONST, SSE_ROUNDING, FLUSH_TO_ZERO, TINY_AS_ZERO, PRECISION,
       NEST_FOLDERS, LOOK_AT_HOME, SHORT_ARRAYS, LONG_ARRAYS, NO_ARRAYS, NAN_ARRAYS,
       X87_ROUNDING };
static int quiet;

static void tell(Plant *p, const char *text)
{
    p->callbacks->logger(p->callbacks->componentEnvironment, "plant", fmi2Error, "deed", "%s", text);
}

/* Of the control register of floating point numbers: MXCSR, or FPCR. */
static void control(unsigned sse, unsigned arm)
{
#ifdef __x86_64__
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    word |= sse;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
#elif defined(__aarch64__)
    unsigned long word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    word |= arm;
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
#endif
}
/* Of the control word of the x87 unit, which calculates long doubles. */
static void control_x87(unsigned cleared, unsigned set)
{
#ifdef __x86_64__
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word = (unsigned short)((word & ~cleared) | set);
    __asm__ volatile("fldcw %0" : : "m"(word));
#endif
}

/* The FMU lies in the same process as the Python that answers for it. */
static void change_answers(const char *arrays)
{
    int (*ensure)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    void (*release)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
    int (*run)(const char *, void *) = (int (*)(const char *, void *))dlsym(RTLD_DEFAULT, "PyRun_SimpleStringFlags");
    char text[500];
    const int state = ensure();
    sprintf(text,
            "import numpy as np\n"
            "from cranebridge.plant.protocol import wire\n"
            "def send(channel, body, arrays, send=wire.send):\n"
            "    send(channel, body, %s)\n"
            "wire.send = send\n", arrays);
    run(text, NULL);
    release(state);
}
static void *raise_flag(void *flag) { *(int *)flag = 1; return NULL; }
static fmi2Status without_a_word(Plant *p, fmi2Real dx[])
{
    extern char **environ;
    pthread_t thread;
    int i, flag = 0;
    switch (quiet) {
    case ROUNDING: fesetround(FE_UPWARD); break;
    case ESCAPES:
        puts("\033]0;owned\007\033[2J\033[1;1Hall is well\r\b\b");
        fflush(stdout);
        tell(p, "\033[31mred\033[0m \xe2\x80\xae txet \xc2\x9b and a\nsecond line");
        return fmi2Error;
    case ENVIRONMENT:
        for (i = 0; environ[i] != NULL; ++i) {
            tell(p, environ[i]);
        }
        break;
    case PAST_ARRAYS: memset(dx, 0x7f, 64 << 20); break;
    case LOCKED_FOLDER:
        mkdir("locked", 0700);
        close(open("locked/file", O_CREAT | O_WRONLY, 0));
        mkdir("closed", 0);
        break;
    case THREAD:
        if (pthread_create(&thread, NULL, raise_flag, &flag) != 0) {
            return fmi2Error;
        }
        pthread_join(thread, NULL);
        return flag ? fmi2OK : fmi2Error;
    case OWN_SIGNAL:
        signal(SIGUSR1, SIG_IGN);
        return raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 ? fmi2OK : fmi2Error;
    case OWN_FILE: {
        FILE *file = fopen("mine.txt", "w");
        if (file == NULL || fputs("text", file) < 0 || fclose(file) != 0) {
            return fmi2Error;
        }
        return remove("mine.txt") == 0 ? fmi2OK : fmi2Error;
    }
    case SSE_ROUNDING: control(0x4000, 1u << 22); break;
    case FLUSH_TO_ZERO: control(0x8000, 1u << 24); break;
    case TINY_AS_ZERO: control(0x0040, 1u << 24); break;
    case PRECISION: control_x87(0x0300, 0); break;
    case X87_ROUNDING: control_x87(0, 0x0800); break;
    case NEST_FOLDERS:
        for (i = 0; i < 1100; ++i) {
            if (mkdir("n", 0700) != 0 || chdir("n") != 0) {
                return fmi2Error;
            }
        }
        break;
    case LOOK_AT_HOME: {
        struct stat status;
        if (stat(HOME "/secret", &status) == 0) {
            char text[100];
            sprintf(text, "size %ld", (long)status.st_size);
            tell(p, text);
        }
        break;
    }
    case SHORT_ARRAYS: change_answers("{name: table[1:] for name, table in arrays.items()}"); break;
    case LONG_ARRAYS: change_answers("{name: np.zeros((100, 100)) for name in arrays}"); break;
    case NO_ARRAYS: change_answers("{}"); break;
    case NAN_ARRAYS: change_answers("{name: np.nan * table for name, table in arrays.items()}"); break;
    default: break;
    }
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    const int number = (int)P->k;
    const fmi2Status status = good_derivatives(c, dx, n);
    if (number != 1) { /* 1 is the parameter's start value: the plant that behaves */
        P->k = 1.0;
        if (number >= 100) {
            quiet = number;
            return without_a_word(P, dx);
        } else {
            char text[200];
            const int found = deeds[number - 2]();
            sprintf(text, "%s: %s", names[number - 2], found ? strerror(found) : "DONE");
            tell(P, text);
            return fmi2Error;
        }
    }
    return status;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    const fmi2Status status = good_states(c, x, n);
    if (quiet == CHANGE_CONST) {
        *(fmi2Real *)x = 1e3;
    }
    return status;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[])
{
    const fmi2Status status = good_set(c, r, n, v);
    if (quiet == CHANGE_CONST) {
        *(fmi2Real *)v = 1e3;
        *(fmi2ValueReference *)r = 4;
    }
    return status;
}
fmi2Status fmi2Terminate(fmi2Component c)
{
    if (quiet == HANG_AT_END) {
        for (;;) { sleep(1000); }
    }
    return good_terminate(c);
}

#ifdef HANG_IN_CONSTRUCTOR
__attribute__((constructor)) static void hang(void) { for (;;) { sleep(1000); } }
#endif
#ifdef HANG_IN_DESTRUCTOR
__attribute__((destructor)) static void hang(void) { for (;;) { sleep(1000); } }
#endif
